import { afterAll, beforeAll } from 'vitest'
import { type MongoServer, start } from '../../../../tools/servers/mongodb.mjs'
import { documentsFeatures, testCollections } from '../testing/index.ts'
import { createMongoDocuments } from './index.ts'

let server: MongoServer
let databases = 0

beforeAll(async () => {
  server = await start()
})
afterAll(() => server.stop())

documentsFeatures('MongoDB', async () => {
  databases += 1
  // Long, so that slow machines pass; time limits have a suite of their own.
  const timeouts = { serverSelection: 30_000, operation: 60_000 }
  const open = () =>
    createMongoDocuments({ uri: server.url, database: `test_${databases}`, collections: testCollections, timeouts })
  const opened = await open()
  const others: { close(): Promise<void> }[] = [opened]
  return {
    documents: opened,
    async reopen() {
      const again = await open()
      others.push(again)
      return again
    },
    async end() {
      for (const other of others) await other.close()
    },
  }
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@assay/sqlite'
import { eventStoreFeatures } from '../testing/index.ts'
import { createSqliteEventStore } from './event-store.ts'

eventStoreFeatures('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-events-'))
  const open = () => {
    const database = openDatabase({ path: join(folder, 'events.db') })
    return { database, store: createSqliteEventStore({ database, clock: { now: Date.now } }) }
  }
  let current = open()
  const close = async (): Promise<void> => {
    await current.store.close()
    await current.database.close()
  }
  return {
    store: current.store,
    async reopen() {
      await close()
      current = open()
      return current.store
    },
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
})

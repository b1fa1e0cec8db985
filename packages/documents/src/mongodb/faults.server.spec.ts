import { isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MongoServer, start } from '../../../../tools/servers/mongodb.mjs'
import type { Documents } from '../port.ts'
import { testCollections, thingPut, things } from '../testing/index.ts'
import { createMongoDocuments } from './index.ts'

const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')
const timeout = expect.toSatisfy((error: unknown) => isAssayError(error, 'timeout'), 'timeout')

describe('documents of MongoDB when the server fails', () => {
  let server: MongoServer
  let documents: Documents
  const timeouts = { serverSelection: 1000, operation: 2000 }
  const open = () => createMongoDocuments({ uri: server.url, database: 'test', collections: testCollections, timeouts })

  /** On a loaded machine, the first put to a new server may take longer than the short limit. */
  const putFirst = () =>
    expect
      .poll(() => documents.put([thingPut('t', 1)]).then(() => 'stored', String), { timeout: 20_000 })
      .toBe('stored')

  beforeEach(async () => {
    server = await start()
    documents = await open()
  })
  afterEach(async () => {
    await documents.close()
    await server.stop()
  })

  it('given writes, when the server is killed twice and restarted, then all acknowledged documents are stored', async () => {
    const acknowledged = new Map<number, number>()
    let refused = 0
    let running = true
    const writer = async (first: number) => {
      for (let round = 0; running; round++) {
        const id = first + (round % 50)
        try {
          await documents.put([thingPut('t', id, { size: round }, round)])
          acknowledged.set(id, round)
        } catch (error) {
          expect(error).toEqual(
            expect.toSatisfy((thrown) => isAssayError(thrown, 'unavailable') || isAssayError(thrown, 'timeout')),
          )
          refused += 1
        }
      }
    }
    const writers = [0, 100, 200, 300].map(writer)
    for (let kill = 1; kill <= 2; kill++) {
      const before = acknowledged.size
      const sum = () => [...acknowledged.values()].reduce((total, round) => total + round, 0)
      const reached = sum()
      await expect.poll(sum, { timeout: 20_000 }).toBeGreaterThan(reached + 200)
      await server.kill()
      await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThanOrEqual(kill)
      await server.restart()
      expect(acknowledged.size).toBeGreaterThanOrEqual(before)
    }
    const since = [...acknowledged.values()].reduce((most, round) => Math.max(most, round), 0)
    await expect.poll(() => Math.max(...acknowledged.values()), { timeout: 20_000 }).toBeGreaterThan(since)
    running = false
    await Promise.all(writers)
    expect(acknowledged.size).toBeGreaterThan(50)
    for (const [id, revision] of acknowledged) {
      const found = await documents.get(things, 't', id)
      expect(found?.source.revision).toBeGreaterThanOrEqual(revision)
      expect(found?.document.size).toBe(found?.source.revision)
    }
  })

  it('given a killed server, then reads and writes soon throw unavailable, and work again once the server runs', async () => {
    await putFirst()
    await server.kill()
    const start = performance.now()
    await expect(documents.get(things, 't', 1)).rejects.toEqual(unavailable)
    await expect(documents.put([thingPut('t', 2)])).rejects.toEqual(unavailable)
    await expect(documents.find(things, 't', { size: 1 })).rejects.toEqual(unavailable)
    expect(performance.now() - start).toBeLessThan(3 * (timeouts.serverSelection + timeouts.operation))
    await expect(open()).rejects.toEqual(unavailable)
    await server.restart()
    await expect.poll(() => documents.get(things, 't', 1).catch(() => undefined), { timeout: 10_000 }).toBeDefined()
  })

  it('given a server that hangs, then reads time out, and work again once the server answers', async () => {
    await putFirst()
    server.pause()
    const read = () => documents.get(things, 't', 1).catch((error: unknown) => error)
    await expect.poll(read, { timeout: 20_000 }).toEqual(timeout)
    server.resume()
    await expect.poll(() => documents.get(things, 't', 1).catch(() => undefined), { timeout: 20_000 }).toBeDefined()
  })

  it('given a malformed address, when opened, then the error does not contain the password', async () => {
    const uri = 'mongodb://user:secret@[bad'
    const opening = createMongoDocuments({ uri, database: 'test', collections: testCollections })
    const error = await opening.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error).not.toHaveProperty('cause')
    expect(String(error)).not.toContain('secret')
  })

  it('given a closed store, when used, then it throws unavailable', async () => {
    const other = await open()
    await other.close()
    await expect(other.get(things, 't', 1)).rejects.toEqual(unavailable)
    await expect(other.put([thingPut('t', 1)])).rejects.toEqual(unavailable)
  })
})

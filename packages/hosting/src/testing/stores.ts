import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import { createBusInMemory } from '@assay/message-bus/testing'
import { openDatabase } from '@assay/sqlite'

/** A silent logger. */
export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export type TestStores = Awaited<ReturnType<typeof openStores>>

/**
 * The ports of one service in a test: stores over SQLite in a temporary folder, and a bus in memory. `collections`: the
 * collections of the service.
 */
export async function openStores(options: {
  name: string
  collections: Parameters<typeof createSqliteDocuments>[0]['collections']
  clock: { time: number; now(): number }
}) {
  const { name, collections, clock } = options
  const folder = await mkdtemp(join(tmpdir(), `assay-${name}-`))
  const database = openDatabase({ path: join(folder, 'assay.db'), synchronous: 'NORMAL' })
  const store = createSqliteEventStore({ database, clock })
  const documents = createSqliteDocuments({ database, collections })
  const bus = createBusInMemory()
  let position = 0

  return {
    folder,
    database,
    store,
    documents,
    commit: createSqliteCommit({ database, store, documents }),
    checkpoints: createSqliteCheckpoints(database),
    bus,
    /** Publishes a message of another service, at the next position of that service's log, or at `at`. */
    publish(
      topic: string,
      data: unknown,
      about: { key?: string; type?: string; tenant?: string | undefined; id?: string; at?: string | undefined } = {},
    ) {
      position += 1
      const { key = 'key', type = 'x', tenant = 'default', id = randomUUID() } = about
      const time = new Date(clock.time).toISOString()
      const { at = String(position).padStart(19, '0') } = about
      return bus.publish(topic, [{ id, key, type, tenant, time, position: at, data }])
    },
    /** Must be called after the services that use the stores have stopped. */
    async close() {
      await documents.close()
      await store.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

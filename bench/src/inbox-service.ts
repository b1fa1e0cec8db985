import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicTopics } from '@assay/contracts'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import { silent, tableMessageOf } from '@assay/hosting/testing'
import { createEmbeddedBus } from '@assay/message-bus/embedded'
import {
  createNotificationService,
  notificationCollections,
  notificationCopies,
  watchAggregate,
  watchKey,
} from '@assay/notification/service'
import { createMetrics, createSealer, networksOf } from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'

const tenant = 'default'
const watchedSince = '2026-01-01T00:00:00.000Z'

export interface WatchOf {
  user: string
  assetId: number
}

function watchPut({ user, assetId }: WatchOf, watchId: number) {
  const target = { assetId, policyId: null, assemblyId: null, tagId: null, search: null }
  const times = { since: watchedSince, updatedAt: watchedSince }
  const state = {
    status: 'watching' as const,
    watch: { watchId, ...target, user, ...times, kinds: null, minSeverity: null },
  }
  return watchAggregate.documents(state, { tenant, id: watchKey(user, assetId) }, { revision: 0, position: '0' })
}

const tablePut = (assetId: number) => {
  const uid = `sales.${assetId}.csv`
  const table = { assetId, uid, name: `${assetId}.csv`, path: ['sales', `${assetId}.csv`] }
  return notificationCopies.tables.putOf(tenant, tableMessageOf([{ name: 'id', dataType: 'BIGINT' }], table), '1')
}

/**
 * The notification service alone, as the embedded form runs it: one durable file for log, documents and messages. `tables`:
 * ids of tables that it knows, besides watched ones.
 */
export async function openInbox(watches: readonly WatchOf[], tables: readonly number[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-inbox-'))
  const database = openDatabase({ path: join(folder, 'assay.db') })
  const store = createSqliteEventStore({ database, clock: systemClock })
  const documents = createSqliteDocuments({ database, collections: notificationCollections })
  const bus = createEmbeddedBus({ database, clock: systemClock, timers: systemTimers })
  const puts = [...new Set([...tables, ...watches.map(({ assetId }) => assetId)])].map(tablePut)
  for (const put of watches.flatMap(watchPut)) puts.push(put)
  for (let from = 0; from < puts.length; from += 500) await documents.put(puts.slice(from, from + 500))
  const service = createNotificationService({
    store,
    commit: createSqliteCommit({ database, store, documents }),
    documents,
    checkpoints: createSqliteCheckpoints(database),
    bus,
    clock: systemClock,
    timers: systemTimers,
    newId: uuidV7,
    logger: silent,
    metrics: createMetrics(),
    sealer: createSealer(['a secret for the seal of benches, long enough']),
    delivery: {
      allowed: networksOf(['127.0.0.0/8']) ?? { has: () => false },
      retries: [],
      pauseAfter: 10,
      mail: undefined,
      publicUrl: undefined,
      badRows: false,
    },
    firstBadRows: async () => undefined,
    newSecret: () => randomBytes(32),
    random: Math.random,
    soleInstance: true,
    repeatWindowMs: 3_600_000,
  })
  await service.start()
  let position = 1

  return {
    path: database.path,
    routes: service.routes,
    store,
    /** Publishes that tags were added, as the catalog does. Resolves when the messages are durable. */
    async tag(events: readonly { id: string; assetId: number }[]): Promise<void> {
      const time = new Date().toISOString()
      const type = 'io.assay.catalog.AssetTagAdded'
      const frame = { specversion: '1.0', source: '/assay', type, subject: 'x', tenant, actor: 'ann', time }
      const messages = events.map(({ id, assetId }) => {
        position += 1
        const data = { assetId, uid: `sales.${assetId}.csv`, tagId: 5, tagName: id }
        const event = { ...frame, id, datacontenttype: 'application/json', data }
        const at = String(position).padStart(19, '0')
        return { id, key: String(assetId), type, tenant, time, position: at, data: event }
      })
      await bus.publish(publicTopics.assets, messages)
    },
    async close() {
      await service.stop()
      await bus.close()
      await documents.close()
      await store.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type Inbox = Awaited<ReturnType<typeof openInbox>>

import { randomBytes, randomUUID } from 'node:crypto'
import {
  type ContainerMessage,
  internalTopics,
  type KeyMessage,
  type Permission,
  permissions,
  publicTopics,
  type TableMessage,
} from '@assay/contracts'
import { openStores, silent, tableMessageOf } from '@assay/hosting/testing'
import {
  createHttpApp,
  createIdentitySigner,
  createMetrics,
  createRouter,
  createSealer,
  identityHeader,
  listen,
  networksOf,
} from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import { defaultRetries } from '../delivering/retries.ts'
import type { NotificationServiceDeps } from '../dependencies.ts'
import { createNotificationService, notificationCollections } from '../service.ts'

/** Table 11 with the columns 12 `id` and 13, whose name the catalog had to escape in its UID. */
export const tableFixture = (changes: Partial<TableMessage> = {}): TableMessage =>
  tableMessageOf(
    [
      { name: 'id', dataType: 'BIGINT' },
      { name: 'a/b', uidPart: 'a_b', dataType: 'VARCHAR' },
    ],
    { assetType: { id: 11, name: 'FILE' }, columnType: { id: 12, name: 'FILE_COLUMN' }, ...changes },
  )

/** The folder 50, `in` of the assembly `sales`. */
export function folderFixture(changes: Partial<ContainerMessage> = {}): ContainerMessage {
  const assetType = { id: 9, name: 'DIRECTORY' }
  return { revision: 0, assetId: 50, uid: 'sales.in', path: ['sales', 'in'], assetType, isDeleted: false, ...changes }
}

function topicOf(type: string): string {
  if (type.startsWith('catalog.')) return publicTopics.assets
  return type.startsWith('policy.') ? publicTopics.policies : publicTopics.executions
}

export interface Who {
  user?: string
  tenant?: string
  permissions?: readonly Permission[]
  accessKey?: string
}

/** The service over SQLite in a temporary folder, called over HTTP, with a manual clock. */
export async function openHarness(
  settings: Partial<NotificationServiceDeps['delivery']> &
    Pick<Partial<NotificationServiceDeps>, 'lookup' | 'repeatWindowMs' | 'firstBadRows'> = {},
) {
  const { lookup, repeatWindowMs = 0, firstBadRows = async () => undefined, ...delivery } = settings
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'notification', collections: notificationCollections, clock })
  const { store, documents, commit, checkpoints, bus } = stores
  const deps: NotificationServiceDeps = {
    store,
    commit,
    documents,
    checkpoints,
    bus,
    clock,
    timers: systemTimers,
    newId: randomUUID,
    logger: silent,
    metrics: createMetrics(),
    sealer: createSealer(['a secret for the seal of tests, long enough']),
    delivery: {
      allowed: networksOf(['127.0.0.0/8']) ?? { has: () => false },
      ...{
        retries: defaultRetries,
        pauseAfter: 10,
        badRows: true,
        mail: undefined,
        publicUrl: 'https://assay.test',
        ...delivery,
      },
    },
    firstBadRows,
    newSecret: () => randomBytes(32),
    random: () => 0.5,
    soleInstance: true,
    ...(lookup === undefined ? {} : { lookup }),
    repeatWindowMs,
  }
  const service = createNotificationService(deps)
  await service.start()
  /** A key of a user, as the gateway publishes it. */
  const key = (changes: Partial<KeyMessage> = {}) => {
    const valid = { user: 'ann', permissions: [...permissions], validTill: '2100-01-01T00:00:00.000Z', isActive: true }
    const message = { revision: 0, tenant: 'default', keyId: `key of ${changes.user ?? 'ann'}`, ...valid, ...changes }
    return stores.publish(internalTopics.keys, message, { tenant: message.tenant })
  }
  await key()
  const signer = createIdentitySigner({ secret: Buffer.alloc(32, 7), clock })
  const app = createHttpApp({
    logger: silent,
    newId: randomUUID,
    metrics: createMetrics(),
    dispatch: createRouter({ service: 'notification', routes: service.routes, verify: signer.verify }),
  })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })

  function openEvents(
    query = '',
    { user = 'ann', tenant = 'default', accessKey = 'key', permissions: some = permissions }: Who = {},
    { lastEventId, signal }: { lastEventId?: string | undefined; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const token = signer.sign({ tenant, user, accessKey, permissions: new Set(some) })
    const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const url = `http://127.0.0.1:${listening.port}/catalog-server/api/events?${query}`
    return fetch(url, { headers: { [identityHeader]: token, ...resumed }, ...(signal && { signal }) })
  }

  return {
    deps,
    documents,
    store,
    bus,
    clock,
    key,
    table: (message: TableMessage, tenant?: string) => stores.publish(internalTopics.tables, message, { tenant }),
    publish: (topic: string, message: object) => stores.publish(topic, message, {}),
    folder: (message: ContainerMessage, tenant?: string) =>
      stores.publish(internalTopics.containers, message, { tenant }),
    /** A public event as the catalog, the policy and the execution service publish it; `time`: epoch milliseconds. */
    async event(
      type: string,
      data: object,
      { id = randomUUID() as string, tenant = 'default', time = clock.time, subject = 'x', actor = 'system' } = {},
    ) {
      const frame = { specversion: '1.0', id, source: '/assay', type: `io.assay.${type}`, subject, tenant, actor }
      const event = { ...frame, time: new Date(time).toISOString(), datacontenttype: 'application/json', data }
      await stores.publish(topicOf(type), event, { tenant, id })
    },
    async ask(method: string, path: string, who: Who = {}, sent?: unknown) {
      const { user = 'ann', tenant = 'default' } = who
      const held = new Set(who.permissions ?? permissions)
      const token = signer.sign({ tenant, user, accessKey: 'key', permissions: held })
      const response = await fetch(`http://127.0.0.1:${listening.port}/catalog-server/api${path}`, {
        method,
        headers: { [identityHeader]: token, 'content-type': 'application/json' },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      })
      const text = await response.text()
      const { status, headers } = response
      return { status, headers, text, body: text === '' ? undefined : JSON.parse(text) }
    },
    /** The response with the stream of events, which nobody reads. */
    openEvents,
    /** Reads the stream of events; `stop` disconnects. */
    async listen(query = '', who: Who = {}, lastEventId?: string) {
      const left = new AbortController()
      const response = await openEvents(query, who, { lastEventId, signal: left.signal })
      const received = { text: '', ended: false }
      const reading = (async () => {
        const decoder = new TextDecoder()
        for await (const part of response.body ?? []) received.text += decoder.decode(part, { stream: true })
      })()
      const ended = reading
        .catch(() => undefined)
        .finally(() => {
          received.ended = true
        })
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        received,
        ids: () => [...received.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id),
        ended,
        async stop() {
          left.abort()
          await ended
        },
      }
    },
    stopService: () => service.stop(),
    async close() {
      await listening.close()
      await service.stop()
      await stores.close()
    },
  }
}
export type Harness = Awaited<ReturnType<typeof openHarness>>

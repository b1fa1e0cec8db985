import { internalTopics, publicTopics } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Delivery, done, type MessageBus } from '@assay/message-bus'
import { expect, test } from 'vitest'
import { feed } from './feed.ts'

const time = '2026-11-20T10:00:00.000Z'
const delivery = (topic: string, data: object): Delivery => {
  const message = { id: 'e1', key: 'k', type: 't', tenant: 'default', time, position: '1', data }
  return { topic, message, attempt: 1 }
}

test('given a message of a tag whose put has not ended, when an event of an asset is delivered, then watchers are notified only after the put', async () => {
  const steps: string[] = []
  const put = Promise.withResolvers<void>()
  let handle: Parameters<MessageBus['subscribe']>[0]['handle'] | undefined
  const bus: Pick<MessageBus, 'subscribe'> = {
    async subscribe(options) {
      handle = options.handle
      return { lag: async () => 0, close: async () => {} }
    },
  }
  const documents: Pick<Documents, 'get' | 'find' | 'put'> = {
    get: async () => undefined,
    find: async () => ({ documents: [], count: 0 }),
    put: async () => {
      await put.promise
      steps.push('put')
    },
  }
  await feed({ bus, documents, notifyWatchers: async () => void steps.push('notified') })
  if (handle === undefined) throw new Error('Nobody subscribed.')
  const association = { kind: 'association', revision: 0, associationId: 1, tagId: 5, assetId: 11, tableId: 11 }
  const kept = handle(delivery(internalTopics.tags, { ...association, present: true }))
  const frame = { specversion: '1.0', id: 'e1', source: '/assay', subject: 'x', tenant: 'default', time }
  const changed = { ...frame, type: 'io.assay.catalog.AssetFactsObserved', datacontenttype: 'application/json' }
  const notified = handle(delivery(publicTopics.assets, { ...changed, data: { assetId: 11, uid: 'orders.csv' } }))
  // Without a wait, the event would have been handled by now: nothing else that it reads takes time.
  await new Promise(setImmediate)
  put.resolve()
  expect(await Promise.all([kept, notified])).toEqual([done, done])
  expect(steps).toEqual(['put', 'notified'])
})

import { randomUUID } from 'node:crypto'
import { createCommandHandler } from '@assay/event-store'
import { eventually } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliveries, deliveryAggregate, deliveryKey } from '../delivery/aggregate.ts'
import { notifications } from '../notification/aggregate.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { messageOf } from './message-of.ts'
import { createOutbox } from './outbox.ts'

let harness: Harness
let receiver: Awaited<ReturnType<typeof openReceiver>>
let channelId: number
beforeEach(async () => {
  receiver = await openReceiver()
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.ask('POST', '/assets/11/watch')
  const sent = { name: 'data team', type: 'WEBHOOK', configuration: { url: receiver.url } }
  channelId = Number((await harness.ask('POST', '/notification-channels', {}, sent)).body.data.id)
  await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'orders.csv' })
  await eventually(found, ([first]) => first?.status === 'DELIVERED')
})
afterEach(async () => {
  await harness.close()
  await receiver.close()
})

const found = async () => (await harness.documents.find(deliveries, 'default', { size: 10 })).documents

/** Commands of a process that is killed after its first append, before it puts a document or wakes a channel. */
const killed = () =>
  createCommandHandler({
    ...harness.deps,
    async commit(append) {
      await harness.store.append(append.stream, append.events, append.expected)
      throw new AssayError('unavailable', 'killed')
    },
  })

describe('a process that is killed between two writes', () => {
  it('given that it stored a replay, then the delivery is sent', async () => {
    const [delivery] = await found()
    const command = { type: 'ReplayDelivery' as const, at: '2026-11-20T10:00:01.000Z' }
    const request = { tenant: 'default', id: delivery?.key ?? '', command, context: { actor: 'ann' } }
    await expect(killed().handle(deliveryAggregate, request)).rejects.toThrow('killed')
    await receiver.until(2)
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
  })

  it('given that it stored a delivery, then the next process puts its document', async () => {
    const [row] = (await harness.documents.find(notifications, 'default', { size: 1 })).documents
    if (row === undefined) throw new Error('There is no notification.')
    const of = { eventId: randomUUID(), about: '', recipient: 'ann', notificationId: 1, sequence: 1 }
    const message = messageOf(row, undefined)
    const request = { ...of, channel: { channelId, type: 'WEBHOOK' as const }, severity: row.severity, message }
    const { deps, documents, clock } = harness
    const outboxOf = (commands: ReturnType<typeof killed>) =>
      createOutbox({ commands, documents, clock, take: () => undefined })
    await expect(outboxOf(killed()).request('default', [request])).rejects.toThrow('killed')
    await outboxOf(createCommandHandler(deps)).request('default', [request])
    const key = deliveryKey({ ...request, channelId })
    await eventually(found, (all) => all.some((each) => each.key === key))
  })
})

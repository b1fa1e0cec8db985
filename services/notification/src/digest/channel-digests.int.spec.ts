import { channelOperations as operations, permissions } from '@assay/contracts'
import { type Commit, createCommandHandler } from '@assay/event-store'
import { answerOf, eventually } from '@assay/hosting/testing'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { channelAggregate } from '../channel/aggregate.ts'
import { notificationKeys } from '../copies/keys.ts'
import { messageOf } from '../delivering/message-of.ts'
import { createOutbox } from '../delivering/outbox.ts'
import { deliveries } from '../delivery/aggregate.ts'
import { notifications } from '../notification/aggregate.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { createChannelDigests } from './channel-digests.ts'

const hour = 3_600_000
let harness: Harness
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeEach(async () => {
  receiver = await openReceiver()
  harness = await openHarness({ repeatWindowMs: hour })
  await harness.table(tableFixture({ assemblyId: 3, path: ['sales', 'orders.csv'] }))
  await harness.ask('POST', '/assets/11/watch')
})
afterEach(async () => {
  await harness.close()
  await receiver.close()
})

const channel = async (more: object) => {
  const sent = { name: 'mails', type: 'WEBHOOK', configuration: { url: receiver.url }, ...more }
  const { status, body } = await harness.ask('POST', '/notification-channels', {}, sent)
  expect(status, JSON.stringify(body)).toBe(200)
  return Number(body.data.id)
}
const tagged = (tagName: string) =>
  harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName })
const failed = () =>
  harness.event('execution.ExecutionFinished', {
    ...{ executionId: 1, policyId: 7, policyName: 'orders are clean', policyType: 'DATA_QUALITY' },
    ...{ assetId: 11, assetUid: 'orders.csv', resultStatus: 'ERRORED', error: null },
  })
/** Waits until this number of notifications waits for digests. */
const collected = (count: number) => {
  const where = [{ field: 'status', is: 'COLLECTED' }]
  return eventually(
    () => harness.documents.find(deliveries, 'default', { where, size: 0 }),
    (found) => found.count === count,
  )
}
const now = async (id: number) =>
  answerOf(operations.sendChannelDigest, (await harness.ask('POST', `/notification-channels/${id}/digest`)).body).data
const arrived = () => receiver.received.map(({ body }) => JSON.parse(body))

describe('digests of channels', () => {
  it('given HOURLY, then what the channel takes is sent at the full hour as one message', async () => {
    // It is 10:00 UTC.
    const id = await channel({ digest: 'HOURLY' })
    const immediate = await channel({ minSeverity: 'ERROR' })
    await tagged('a')
    await failed()
    await failed()
    await receiver.until(1)
    await collected(2)
    expect(arrived()).toMatchObject([{ type: 'EXECUTION_ERRORED' }])
    harness.clock.time += hour
    await receiver.until(2)
    expect(arrived()[1]).toMatchObject({
      type: 'DIGEST',
      data: {
        ...{ id: null, kind: 'DIGEST', severity: 'ERROR', count: 2, assetId: null },
        title: '2 notifications since the last digest',
        text: "orders are clean on orders.csv: failed (2 times). orders.csv was tagged 'a'.",
        link: 'https://assay.test/catalog-server/api/notifications',
      },
    })
    const { body } = await harness.ask('GET', `/notification-channels/${id}/deliveries`)
    expect(body).toMatchObject({ data: [{ kind: 'DIGEST', notificationId: null }], meta: { count: 1 } })
    expect(await now(id)).toEqual({ count: 0, deliveryId: null })
    expect(await now(immediate)).toEqual({ count: 0, deliveryId: null })
  })

  it('given DAILY, then it is sent at the time that its owner sets, and at once on request or when digests end', async () => {
    const id = await channel({ digest: 'DAILY' })
    await tagged('a')
    await collected(1)
    expect(await now(id)).toMatchObject({ count: 1 })
    await receiver.until(1)
    await harness.ask('PUT', '/notification-settings', {}, { timeZone: 'Europe/Berlin', digestAt: '12:30' })
    await tagged('b')
    await collected(1)
    // It is 12:30 in Berlin.
    harness.clock.time += 1.5 * hour
    await receiver.until(2)
    await tagged('c')
    await collected(1)
    await harness.ask('PUT', `/notification-channels/${id}`, {}, { digest: 'NONE' })
    await receiver.until(3)
    expect(arrived().map(({ data }) => data.text)).toEqual([
      "orders.csv was tagged 'a'.",
      "orders.csv was tagged 'b'.",
      "orders.csv was tagged 'c'.",
    ])
  })

  it('given what the owner may not read when a digest is due, then it is parked by itself and can be replayed', async () => {
    const id = await channel({ digest: 'DAILY' })
    await tagged('a')
    await failed()
    await collected(2)
    const mayPolicies = (held: boolean) =>
      eventually(
        () => harness.documents.get(notificationKeys, 'default', 'key of ann'),
        (found) => found?.document.permissions.includes('POLICY_VIEW') === held,
      )
    await harness.key({ revision: 1, permissions: permissions.filter((each) => each !== 'POLICY_VIEW') })
    await mayPolicies(false)
    const log = () => harness.ask('GET', `/notification-channels/${id}/deliveries`)
    expect(await now(id)).toMatchObject({ count: 1 })
    await receiver.until(1)
    const parked = (await log()).body.data.find(({ kind }: { kind: string }) => kind === 'EXECUTION_ERRORED')
    expect(parked).toMatchObject({ status: 'PARKED', attempts: [{ error: expect.stringContaining('no valid key') }] })
    await harness.key({ revision: 2 })
    await mayPolicies(true)
    await harness.ask('POST', `/notification-channels/${id}/deliveries/${parked.id}/replay`)
    await receiver.until(2)
    expect(arrived()).toMatchObject([
      { type: 'DIGEST', data: { count: 1, text: "orders.csv was tagged 'a'." } },
      { type: 'EXECUTION_ERRORED' },
    ])
    expect(await now(id)).toEqual({ count: 0, deliveryId: null })
  })

  it('given a process that dies before it wakes the channel, then the next one wakes it for the same digest', async () => {
    const channelId = await channel({ digest: 'DAILY' })
    await tagged('a')
    await collected(1)
    await harness.stopService()
    const { deps, documents, clock } = harness
    const taken: number[] = []
    const startProcess = (commit: Commit) => {
      const commands = createCommandHandler({ ...deps, commit })
      const outbox = createOutbox({ commands, documents, clock, take: (_, id) => taken.push(id) })
      const more = { mayRead: async () => true, publicUrl: undefined }
      return { commands, digests: createChannelDigests({ commands, documents, outbox, clock, ...more }) }
    }
    const dying = startProcess(async (append, puts) => {
      if (append.events.some(({ type }) => type === 'ChannelWoken')) throw new Error('killed')
      return await deps.commit(append, puts)
    })
    const command = { type: 'RequestDigest' as const, at: new Date(clock.time).toISOString() }
    const request = { tenant: 'default', id: channelId, command, context: { actor: 'ann' } }
    await dying.commands.handle(channelAggregate, request)
    await expect(dying.digests.send('default', channelId)).rejects.toThrow('killed')
    const sent = await startProcess(deps.commit).digests.send('default', channelId)
    expect(sent).toEqual({ count: 1, deliveryId: expect.any(String) })
    expect(taken).toEqual([channelId])
  })

  it('given digests that end while a notification is collected, then it is sent by one more', async () => {
    const channelId = await channel({ digest: 'DAILY' })
    await harness.ask('PUT', `/notification-channels/${channelId}`, {}, { digest: 'NONE' })
    const { deps, documents, clock } = harness
    const commands = createCommandHandler(deps)
    await tagged('a')
    await receiver.until(1)
    // Another process read the channel before the change.
    const [row] = (await documents.find(notifications, 'default', { where: [], size: 1 })).documents
    if (row === undefined) throw new Error('There is no notification.')
    const of = { eventId: row.key, about: 'late', recipient: 'ann', notificationId: null, sequence: 0 }
    const late = { ...of, channel: { channelId, type: 'WEBHOOK' as const }, severity: row.severity, isCollected: true }
    const outbox = createOutbox({ commands, documents, clock, take: () => undefined })
    await outbox.request('default', [{ ...late, message: messageOf(row, undefined) }])
    await receiver.until(2)
    expect(arrived()[1]).toMatchObject({ type: 'DIGEST', data: { count: 1, text: "orders.csv was tagged 'a'." } })
  })

  it('given a channel that alerts, or of somebody else, then there is no digest of it', async () => {
    const sent = { name: 'x', type: 'PAGERDUTY', configuration: { routingKey: 'R0' }, digest: 'DAILY' }
    expect((await harness.ask('POST', '/notification-channels', {}, sent)).status).toBe(422)
    const id = await channel({ digest: 'DAILY' })
    expect((await harness.ask('POST', `/notification-channels/${id}/digest`, { user: 'bob' })).status).toBe(404)
  })
})

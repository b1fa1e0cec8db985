import { notificationOperations as operations, type Permission, permissions } from '@assay/contracts'
import { answerOf, eventually } from '@assay/hosting/testing'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'

let harness: Harness
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeEach(async () => {
  receiver = await openReceiver()
  harness = await openHarness()
  await harness.table(tableFixture({ assemblyId: 3, path: ['sales', 'orders.csv'] }))
  await harness.ask('POST', '/assets/11/watch')
})
afterEach(async () => {
  await harness.close()
  await receiver.close()
})

const without = (...lacking: Permission[]) => permissions.filter((each) => !lacking.includes(each))
const list = async (some: readonly Permission[] = permissions, query = '') =>
  answerOf(
    operations.listNotifications,
    (await harness.ask('GET', `/notifications${query}`, { permissions: some })).body,
  )
const digests = async (some?: readonly Permission[]) =>
  (await list(some, '?kind=DIGEST')).data.map(({ title, text, severity, count }) => [title, text, severity, count])
const quiet = (quietHours: object | null) => harness.ask('PUT', '/notification-settings', {}, { quietHours })
/** A tag and two failed runs while it is quiet. */
async function night() {
  await quiet({ from: '09:00', to: '11:00' })
  await harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName: 'a' })
  for (const executionId of [1, 2])
    await harness.event('execution.ExecutionFinished', {
      ...{ executionId, policyId: 7, policyName: `policy ${executionId}`, policyType: 'DATA_QUALITY' },
      ...{ assetId: 11, assetUid: 'orders.csv', resultStatus: 'ERRORED', error: null },
    })
  await quiet(null)
}
const all = '3 notifications during your quiet hours'
const two = '2 notifications during your quiet hours'
const one = '1 notification during your quiet hours'
const runs = 'policy 1 on orders.csv: failed. policy 2 on orders.csv: failed.'
const tag = "orders.csv was tagged 'a'."

describe('a digest with parts that a key may not read', () => {
  it('given keys that may read some parts, then each sees and counts these; without any, there is no digest', async () => {
    await night()
    await eventually(digests, ({ length }) => length === 1)
    expect(await digests()).toEqual([[all, `${runs} ${tag}`, 'ERROR', 3]])
    expect(await digests(without('TAGS_VIEW'))).toEqual([[two, runs, 'ERROR', 2]])
    expect(await digests(without('POLICY_VIEW'))).toEqual([[one, tag, 'INFO', 1]])
    const [digest] = (await list()).data
    const own = { permissions: without('POLICY_VIEW') }
    const parts = await harness.ask('GET', `/notifications/${digest?.id}/parts`, own)
    expect(parts.body).toMatchObject({ data: [{ kind: 'TAGS_CHANGED' }], meta: { count: 1 } })
    expect(await list(without('POLICY_VIEW', 'TAGS_VIEW'))).toMatchObject({ data: [], meta: { count: 0 } })
  })

  it('given a recipient whose keys may not read a part, then the list, the stream and the channel have the other parts', async () => {
    const some = without('POLICY_VIEW')
    await harness.key({ revision: 1, permissions: some })
    const configuration = { url: receiver.url }
    await harness.ask('POST', '/notification-channels', {}, { name: 'mine', type: 'WEBHOOK', configuration })
    const stream = await harness.listen('type=io.assay.notification.NotificationAdded', { permissions: some })
    await night()
    await eventually(
      () => digests(some),
      ({ length }) => length === 1,
    )
    expect(await digests(some)).toEqual([[one, tag, 'INFO', 1]])
    // A key that may read more sees more.
    expect(await digests()).toEqual([[all, `${runs} ${tag}`, 'ERROR', 3]])
    const [sent] = await eventually(
      () => receiver.received,
      ({ length }) => length > 0,
    )
    expect(JSON.parse(sent?.body ?? '{}').data).toMatchObject({ kind: 'DIGEST', title: one, text: tag, count: 1 })
    await eventually(
      () => stream.received.text,
      (text) => text.includes(one),
    )
    await stream.stop()
  })
})

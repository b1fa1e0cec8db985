import { publicTopics } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Harness, openHarness } from '../testing/harness.ts'

let assay: Harness
beforeEach(async () => {
  assay = await openHarness()
})
afterEach(() => assay.close())

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })
const discovered = (id: string, more: object = {}) =>
  assay.event('catalog.VoteCast', { assetId: 1 }, { id, subject: 'asset/1', ...more })

/** A notification for bob. */
async function added(about: object, by: object = {}) {
  const data = { recipient: 'bob', notificationId: 1, ...about }
  const frame = { specversion: '1.0', id: 'n', source: '/assay/notification', type: 'x', subject: 'notification/1' }
  const event = { ...frame, tenant: 'default', time: 'now', datacontenttype: 'application/json', ...by, data }
  const message = { id: 'n', key: '1', type: 'x', tenant: 'default', time: 'now', position: '1', data: event }
  await assay.bus.publish(publicTopics.notifications, [message])
}

describe('reading events', () => {
  test('given a reader, when an event is published, then the reader gets it immediately, as published', async () => {
    await discovered('before')
    const reader = await assay.listen()
    expect([reader.status, reader.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    await until(() => expect(reader.received.text).toContain(': events follow'))
    await discovered('a')
    await until(() => expect(reader.ids()).toEqual(['a']))
    expect(reader.received.text).toMatch(
      /^event: io\.assay\.catalog\.VoteCast\ndata: \{"specversion":"1\.0","id":"a",/m,
    )
    await reader.stop()
  })

  test('given a reader that left, when it resumes after its last event, then it misses none and gets none twice', async () => {
    const first = await assay.listen()
    for (const id of ['a', 'b', 'c']) await discovered(id)
    await until(() => expect(first.ids()).toEqual(['a', 'b', 'c']))
    await first.stop()
    for (const id of ['d', 'e']) await discovered(id)
    const second = await assay.listen('', {}, 'b')
    await discovered('f')
    await until(() => expect(second.ids()).toEqual(['c', 'd', 'e', 'f']))
    await second.stop()
    const refused = await assay.listen('lastEventId=gone')
    expect(refused.status).toBe(410)
    await refused.ended
  })

  test('given a time, then a reader begins with the first kept event of that time, and the id of a resumed reader counts more', async () => {
    for (const id of ['a', 'b', 'c']) {
      await discovered(id)
      assay.clock.time += 60_000
    }
    const since = new Date(assay.clock.time - 120_000).toISOString()
    const late = await assay.listen(`since=${since}`)
    const resumed = await assay.listen(`since=${since}`, {}, 'b')
    await discovered('d')
    await until(() => expect(late.ids()).toEqual(['b', 'c', 'd']))
    await until(() => expect(resumed.ids()).toEqual(['c', 'd']))
    for (const reader of [late, resumed]) await reader.stop()
  })

  test('given readers with different times that have caught up, then each gets late events from its own time on', async () => {
    const now = assay.clock.time
    const since = (minutes: number) => `since=${new Date(now - minutes * 60_000).toISOString()}`
    const happened = (id: string, minutes: number) =>
      assay.event('catalog.AssetDiscovered', { assetId: 11, uid: 'x' }, { id, time: now - minutes * 60_000 })
    await happened('a', 3)
    await happened('b', 1)
    const [long, short] = [await assay.listen(since(4)), await assay.listen(since(2))]
    await until(() => expect([long.ids(), short.ids()]).toEqual([['a', 'b'], ['b']]))
    // Both follow the tail now. Events that reach it late happened earlier.
    await discovered('c')
    await until(() =>
      expect([long.ids(), short.ids()]).toEqual([
        ['a', 'b', 'c'],
        ['b', 'c'],
      ]),
    )
    await happened('d', 3)
    await happened('e', 2)
    await happened('f', 5)
    await discovered('g')
    await until(() =>
      expect([long.ids(), short.ids()]).toEqual([
        ['a', 'b', 'c', 'd', 'e', 'g'],
        ['b', 'c', 'e', 'g'],
      ]),
    )
    for (const reader of [long, short]) await reader.stop()
  })

  test.each([
    'type=io.assay.policy.PolicyRenamed',
    'type=io.assay.nothing.*',
    'entity=table/7',
    'entity=asset/',
    'since=yesterday',
    'type=',
    'entity=,',
    'subject=',
    'subject=nope/1',
    'subject=asset/7/8',
  ])('given the filter %s, then 400 that names it', async (query) => {
    const answer = await assay.ask('GET', `/events?${query}`)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(query.split('=')[0] ?? '')])
  })

  test('given filters, another tenant and fewer permissions, then a reader gets only events that match its filters and that it may see', async () => {
    const votes = await assay.listen('type=io.assay.catalog.Vote*&entity=ASSET/1')
    const all = await assay.listen('entity=asset,execution')
    const elsewhere = await assay.listen('', { tenant: 'other' })
    const policies = await assay.listen('entity=policy/7')
    const subjects = await assay.listen('subject=asset/1,tag/,udf-template/')
    const little = await assay.listen('', { permissions: ['NOTIFICATION_VIEW', 'ASSET_VIEW'] })
    await discovered('a')
    await discovered('b', { subject: 'asset/12' })
    for (const name of ['AssetTagAdded', 'AssetTagRemoved', 'AssetLabelsReplaced'])
      await assay.event(
        `catalog.${name}`,
        { assetId: 2, uid: 'x', tagId: 5, tagName: 'pii', labels: [] },
        { id: name, subject: 'asset/2' },
      )
    await assay.event('catalog.TagCreated', { tagId: 1 }, { id: 't', subject: 'tag/1' })
    await assay.event('catalog.UdfTemplateCreated', { udfId: 1 }, { id: 'u', subject: 'udf-template/1' })
    await assay.event('catalog.PolicyTagAdded', { policyId: 7, tagId: 1 }, { id: 'p', subject: 'policy/7' })
    await assay
      .event('execution.ExecutionFailed', { executionId: 1 }, { id: 'e', subject: 'execution/1' })
      .catch(() => 0)
    await until(() =>
      expect(all.ids()).toEqual(['a', 'b', 'AssetTagAdded', 'AssetTagRemoved', 'AssetLabelsReplaced', 'e']),
    )
    await until(() => expect(votes.ids()).toEqual(['a']))
    await until(() => expect(policies.ids()).toEqual(['p']))
    await until(() => expect(subjects.ids()).toEqual(['a', 'b', 't', 'u']))
    await discovered('c')
    await until(() => expect(little.ids()).toEqual(['a', 'b', 'c']))
    expect(elsewhere.ids()).toEqual([])
    for (const reader of [votes, all, policies, subjects, elsewhere, little]) await reader.stop()
  })

  test('given notifications of another user, then the reader does not get them', async () => {
    const [ann, bob] = [await assay.listen(), await assay.listen('', { user: 'bob' })]
    await added({ assetId: null, policyId: null })
    await discovered('a')
    await until(() => expect(bob.ids()).toEqual(['n', 'a']))
    await until(() => expect(ann.ids()).toEqual(['a']))
    await ann.stop()
    await bob.stop()
  })

  test.each([
    ['about a policy', { assetId: 11, policyId: 7 }],
    ['of a digest with one about a policy', { assetId: null, policyId: null, about: 'policy' }],
  ])('given a notification %s, then its recipient gets it only with a key that may view policies', async (_, data) => {
    const some = { user: 'bob', permissions: ['NOTIFICATION_VIEW', 'ASSET_VIEW'] as const, accessKey: 'some' }
    const [little, all] = [await assay.listen('', some), await assay.listen('', { user: 'bob' })]
    await added(data)
    await discovered('a')
    await until(() => expect(all.ids()).toEqual(['n', 'a']))
    await until(() => expect(little.ids()).toEqual(['a']))
    for (const reader of [little, all]) await reader.stop()
  })

  test('given an earlier notification about tags, then its recipient gets it only with a key that may view tags', async () => {
    const some = { user: 'bob', permissions: ['NOTIFICATION_VIEW', 'ASSET_VIEW'] as const, accessKey: 'some' }
    const [little, all] = [await assay.listen('', some), await assay.listen('', { user: 'bob' })]
    await added({ assetId: 11, policyId: null, kind: 'TAGS_CHANGED', about: 'asset' })
    await discovered('a')
    await until(() => expect(all.ids()).toEqual(['n', 'a']))
    await until(() => expect(little.ids()).toEqual(['a']))
    for (const reader of [little, all]) await reader.stop()
  })

  test('given an event of somebody else, then nobody sees the key that was used', async () => {
    const reader = await assay.listen()
    await added({ recipient: 'ann', assetId: null, policyId: null }, { accesskey: 'the key of somebody', actor: 'eve' })
    await until(() => expect(reader.received.text).toContain('"actor":"eve"'))
    expect(reader.received.text).not.toContain('the key of somebody')
    await reader.stop()
  })

  test('given ten streams of a key, when it opens one more, then 429, but another key can; once a stream ends, the key can open another', async () => {
    const open = await Promise.all(Array.from({ length: 10 }, () => assay.listen()))
    expect((await assay.listen()).status).toBe(429)
    const other = await assay.listen('', { accessKey: 'another' })
    expect(other.status).toBe(200)
    await open[0]?.stop()
    await vi.waitFor(
      async () => {
        const again = await assay.listen()
        open.push(again)
        expect(again.status).toBe(200)
      },
      { timeout: 20_000 },
    )
    for (const reader of [...open, other]) await reader.stop()
  })

  test('given ten streams whose readers were cut off, when the key opens one more, then the connection of one of them is closed', async () => {
    for (let n = 0; n < 60; n += 1)
      await assay.event('catalog.AssetDiscovered', { assetId: 11, uid: 'x'.repeat(200_000) }, { id: `large ${n}` })
    const since = 'since=2020-01-01T00:00:00Z'
    const stalled = await Promise.all(Array.from({ length: 10 }, () => assay.openEvents(since)))
    const more = await vi.waitFor(
      async () => {
        const opened = await assay.listen('type=io.assay.policy.*')
        expect(opened.status).toBe(200)
        return opened
      },
      { timeout: 40_000, interval: 500 },
    )
    const broken = stalled.map((response) => response.text().then(() => Promise.reject(new Error('whole')), String))
    expect(await Promise.any(broken)).toContain('terminated')
    await more.stop()
  })

  test('when the service stops, then the streams end', async () => {
    const reader = await assay.listen()
    await assay.stopService()
    await reader.ended
    expect(reader.received.ended).toBe(true)
  })
})

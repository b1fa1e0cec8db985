import { randomUUID } from 'node:crypto'
import { notificationOperations as operations } from '@assay/contracts'
import { createCommandHandler, createNumberBlocks } from '@assay/event-store'
import { answerOf, eventually } from '@assay/hosting/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEnsureDigest } from '../digest/ensure-digest.ts'
import { type Harness, openHarness, tableFixture, type Who } from '../testing/harness.ts'
import { createNotify } from './notify.ts'
import { createRepeats } from './repeats.ts'

const hour = 3_600_000
let harness: Harness
beforeEach(async () => {
  harness = await openHarness({ repeatWindowMs: hour })
  await harness.table(tableFixture({ assemblyId: 3, path: ['sales', 'orders.csv'] }))
  await harness.ask('POST', '/assets/11/watch')
})
afterEach(() => harness.close())

const list = async (query = '', who?: Who) =>
  answerOf(operations.listNotifications, (await harness.ask('GET', `/notifications${query}`, who)).body).data
const kinds = async (query = '') => (await list(query)).map(({ kind }) => kind)
const tagged = (tagName: string, changes?: { id?: string }) =>
  harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName }, changes)
const run = (resultStatus: string, executionId: number, changes?: { id?: string }) =>
  harness.event(
    'execution.ExecutionFinished',
    {
      ...{ executionId, policyId: 7, policyName: 'orders are clean', policyType: 'DATA_QUALITY' },
      ...{ assetId: 11, assetUid: 'orders.csv', resultStatus, error: null },
    },
    changes,
  )

describe('repeats', () => {
  it('given the same event again within an hour, then one row counts both and is unread again; later there is another row', async () => {
    await run('ERRORED', 1, { id: 'e1' })
    const [row] = await list()
    await harness.ask('PUT', `/notifications/${row?.id}/read`)
    harness.clock.time += hour / 2
    await run('ERRORED', 2, { id: 'e2' })
    await run('ERRORED', 2, { id: 'e2' })
    await run('WARNING', 3)
    await run('ERRORED', 4, { id: 'e4' })
    await run('ERRORED', 1, { id: 'e1' })
    expect(await list('?kind=EXECUTION_ERRORED')).toMatchObject([{ id: row?.id, count: 3, readAt: null }])
    const parts = await harness.ask('GET', `/notifications/${row?.id}/parts?sortBy=id:asc`)
    const counted = answerOf(operations.listNotificationParts, parts.body)
    expect(counted.data.map(({ executionId }) => executionId)).toEqual([1, 2, 4])
    expect(counted.meta.count).toBe(3)
    harness.clock.time += hour / 2
    await run('ERRORED', 5)
    expect((await list('?kind=EXECUTION_ERRORED')).map(({ count }) => count)).toEqual([1, 3])
  })

  it('given a recovery, then it is notified once and ends the window', async () => {
    await run('ERRORED', 1)
    await run('ERRORED', 2)
    harness.clock.time += 1
    await run('SUCCESSFUL', 3)
    await run('SUCCESSFUL', 4)
    harness.clock.time += 1
    await run('ERRORED', 5)
    harness.clock.time += 1
    await run('SUCCESSFUL', 6)
    expect((await list('?sortBy=id:asc')).map(({ kind, count }) => [kind, count])).toEqual([
      ['EXECUTION_ERRORED', 2],
      ['EXECUTION_RECOVERED', 1],
      ['EXECUTION_ERRORED', 1],
      ['EXECUTION_RECOVERED', 1],
    ])
  })
})

describe('mutes', () => {
  const mute = (body: object, who?: Who) => harness.ask('POST', '/notification-mutes', who, body)
  const until = '2026-11-20T11:00:00.000Z'

  it('given a mute of an asset, a policy or a kind, then until its end the muted notifications are only in the held list', async () => {
    expect((await mute({ assetId: 11, until })).status).toBe(200)
    await harness.ask('POST', '/assets/12/watch')
    await tagged('a')
    await harness.event('catalog.AssetTagAdded', { assetId: 12, uid: 'orders.csv.id', tagId: 5, tagName: 'b' })
    expect(await list()).toEqual([])
    expect(await list('?held=true')).toMatchObject([{ heldBy: 'MUTE' }, { heldBy: 'MUTE' }])
    harness.clock.time += hour
    await tagged('c')
    expect(await list()).toMatchObject([{ kind: 'TAGS_CHANGED' }])
    await mute({ kind: 'EXECUTION_ERRORED', until: '2099-01-01' })
    await run('ERRORED', 1)
    await run('SUCCESSFUL', 2)
    expect(await kinds()).toEqual(['TAGS_CHANGED'])
    expect((await mute({ policyId: 7, until: '2099-01-01' })).status).toBe(404)
    expect((await mute({ kind: 'TAGS_CHANGED' })).body.errors[0].message).toContain('until: is needed')
  })

  it('given mutes, then their owner lists and ends them, and a mute of the past or of two things is refused', async () => {
    const { data } = (await mute({ kind: 'ASSET_CHANGED', until })).body
    expect(data).toMatchObject({ kind: 'ASSET_CHANGED', assetId: null, policyId: null, until })
    expect((await harness.ask('GET', '/notification-mutes')).body).toMatchObject({ data: [data], meta: { count: 1 } })
    expect((await harness.ask('GET', '/notification-mutes', { user: 'bob' })).body.data).toEqual([])
    for (const body of [
      { until },
      { kind: 'NO', until },
      { assetId: 11, kind: 'MENTIONED', until },
      { kind: 'MENTIONED' },
    ])
      expect([body, (await mute(body)).status]).toEqual([body, 400])
    expect((await mute({ kind: 'MENTIONED', until: '2020-01-01' })).status).toBe(400)
    const digest = await mute({ kind: 'DIGEST', until })
    expect([digest.status, digest.body.errors[0].message]).toEqual([400, expect.stringContaining('no mute holds')])
    const path = `/notification-mutes/${data.id}`
    expect((await harness.ask('DELETE', path, { user: 'bob' })).status).toBe(404)
    expect((await harness.ask('DELETE', path)).status).toBe(204)
    expect((await harness.ask('DELETE', path)).status).toBe(404)
    expect((await harness.ask('GET', '/notification-mutes')).body.data).toEqual([])
  })
})

describe('quiet hours', () => {
  const settings = '/notification-settings'

  it('given quiet hours, then rows are held and become one digest at their end', async () => {
    // It is 10:00 UTC.
    const change = { timeZone: 'Europe/Berlin', quietHours: { from: '11:00', to: '12:30' } }
    expect((await harness.ask('PUT', settings, {}, change)).body.data).toEqual({ ...change, digestAt: '08:00' })
    await tagged('a')
    await run('ERRORED', 1)
    await run('ERRORED', 2)
    expect(await list()).toEqual([])
    expect((await list('?held=true')).map(({ kind, heldBy, count }) => [kind, heldBy, count])).toEqual([
      ['EXECUTION_ERRORED', 'QUIET_HOURS', 2],
      ['TAGS_CHANGED', 'QUIET_HOURS', 1],
    ])
    harness.clock.time += 1.5 * hour
    const rows = await eventually(list, (found) => found.length > 0)
    expect(rows).toMatchObject([
      {
        ...{
          kind: 'DIGEST',
          severity: 'ERROR',
          count: 2,
          link: '/catalog-server/api/notifications?held=true',
        },
        title: '2 notifications during your quiet hours',
        text: "orders are clean on orders.csv: failed (2 times). orders.csv was tagged 'a'.",
      },
    ])
    const parts = await harness.ask('GET', `/notifications/${rows[0]?.id}/parts`)
    expect(parts.body.meta.count).toBe(2)
    await tagged('b')
    expect(await kinds()).toEqual(['TAGS_CHANGED', 'DIGEST'])
    expect(await list('?held=true')).toHaveLength(2)
  })

  it('given a change that ends quiet hours, then the held notifications become a digest', async () => {
    await harness.ask('PUT', settings, {}, { quietHours: { from: '09:00', to: '11:00' } })
    await tagged('a')
    await harness.ask('PUT', settings, {}, { quietHours: null })
    await eventually(kinds, (found) => found.includes('DIGEST'))
  })

  it('given rows that a process still holds when the quiet hours have ended, then another digest has them at once', async () => {
    await harness.ask('PUT', settings, {}, { quietHours: { from: '09:00', to: '11:00' } })
    await tagged('a')
    harness.clock.time += hour
    const digests = () => list('?kind=DIGEST')
    await eventually(digests, (found) => found.length === 1)
    harness.clock.time += 100
    const { documents, deps } = harness
    // The clock of this process is behind.
    const clock = { now: () => harness.clock.time - 1_000 }
    const commands = createCommandHandler(deps)
    const numbers = createNumberBlocks(deps)
    const repeats = createRepeats({ documents, commands, clock, windowMs: hour })
    const ensureDigest = createEnsureDigest({ commands, documents, clock })
    const notify = createNotify({ commands, documents, numbers, repeats, ensureDigest, clock })
    const at = new Date(clock.now()).toISOString()
    const about = { assetId: 11, policyId: null, executionId: null, link: '/assets/11', at }
    const content = { ...about, kind: 'ASSET_CHANGED' as const, severity: 'INFO' as const, title: 'late', text: '' }
    const of = { eventId: randomUUID(), content, assetIds: [11] }
    await notify('default', [{ recipient: 'ann', watchedId: 11, watch: null }], of)
    const found = await eventually(digests, ({ length }) => length === 2)
    expect(found.map(({ text }) => text)).toEqual(['late.', "orders.csv was tagged 'a'."])
  })

  it('given settings that are not valid, then 400, and without settings the defaults', async () => {
    expect((await harness.ask('GET', settings)).body.data).toEqual({
      timeZone: 'UTC',
      quietHours: null,
      digestAt: '08:00',
    })
    for (const body of [
      { timeZone: 'Mars' },
      { digestAt: '25:00' },
      { quietHours: { from: '22:00' } },
      { quietHours: { from: '22:00', to: '22:00' } },
    ])
      expect([body, (await harness.ask('PUT', settings, {}, body)).status]).toEqual([body, 400])
  })
})

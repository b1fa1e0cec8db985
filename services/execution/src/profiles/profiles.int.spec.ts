import { internalTopics, profileOperations as operations, type Permission, publicTopics } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { executionTables, tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { tableFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, createManualTimers, eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await eventually(
    () => harness.deps.documents.get(executionTables, 'default', 11),
    (copy) => copy !== undefined,
  )
})
afterEach(() => harness.close())

const full = { profilingType: 'FULL' }
const start = (data: object = full, id = 11, tenant?: string) =>
  harness.call(operations.startProfile, { params: { id }, body: { data }, ...(tenant ? { tenant } : {}) })
const startedId = async (data?: object) => bodyOf(await start(data)).data.id
const read = async (profileId: number) =>
  bodyOf(await harness.call(operations.getProfile, { params: { id: 11, profileId } })).profileRequest
const ended = (profileId: number) =>
  eventually(
    () => read(profileId),
    ({ status }) => status !== 'IN_PROGRESS',
  )
const result = async (profileId: number, without: Permission[] = []) =>
  bodyOf(await harness.call(operations.getProfileResult, { params: { id: 11, profileId }, without }))
const cancel = (profileId: number) => harness.call(operations.cancelProfile, { params: { profileId } })
const untilRunning = () =>
  eventually(
    async () => harness.engine.running(),
    (running) => running === 1,
  )
const files = async () => (await harness.artifacts.list('default')).map(({ key }) => key)

describe('a profile', () => {
  it('can be read as soon as it is started, and its figures as soon as it has ended', async () => {
    const { data } = bodyOf(await start())
    expect(data).toMatchObject({ assetId: 11, status: 'IN_PROGRESS', profilingType: 'FULL', createdBy: 'ann' })
    expect(data).toMatchObject({ profileCapabilities: [], selectedColumns: [], isProfileAnomalous: false })
    const done = await ended(data.id)
    expect(done).toMatchObject({ status: 'SUCCESSFUL', rowCount: 3, columnCount: 2, errorMessage: null })
    const latest = bodyOf(await harness.call(operations.getLatestProfile, { params: { id: 11 } }))
    expect(latest.data).toEqual(done)
    const { data: figures } = await result(data.id)
    expect(figures.columns).toMatchObject([
      { name: 'order_id', distinct: 3, distinctMethod: 'EXACT', masked: false },
      {},
    ])
    const published = await eventually(
      async () => harness.bus.published.filter(({ topic }) => topic === publicTopics.executions),
      (all) => all.length === 2,
    )
    expect(published.map(({ message }) => message.data)).toMatchObject([
      { subject: `profile/${data.id}`, actor: 'ann', data: { status: 'IN_PROGRESS', assetId: 11 } },
      { type: 'io.assay.execution.ProfileSucceeded', data: { status: 'SUCCESSFUL', rowCount: 3 } },
    ])
  })

  it('given an open profile, then concurrent starts are refused; once it is cancelled, one is accepted', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = await startedId()
    const refused = await Promise.allSettled(Array.from({ length: 5 }, () => start()))
    for (const one of refused)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unprocessable', message: /has not ended/ } })
    await untilRunning()
    const { result: cancelled } = bodyOf(await cancel(id))
    expect(cancelled).toMatchObject({ status: 'SUCCESS', isParentAvailable: false, parentList: {} })
    await eventually(
      async () => harness.engine.running(),
      (running) => running === 0,
    )
    expect(await read(id)).toMatchObject({ status: 'ABORTED' })
    await expect(cancel(id)).rejects.toMatchObject({ code: 'method-not-allowed', message: /already finished/ })
    await expect(result(id)).rejects.toMatchObject({ code: 'unprocessable' })
    harness.engine.behave({ kind: 'end' })
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => start()))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('profiles only the columns of the request, and names the field of an invalid request', async () => {
    await ended(await startedId({ ...full, selectedColumns: ['amount', 'amount'] }))
    expect(harness.engine.profiled).toEqual([['amount']])
    await expect(start({ ...full, selectedColumns: ['gone'] })).rejects.toMatchObject({
      code: 'invalid',
      message: /^data\.selectedColumns\[0\]/,
    })
    await expect(start({ profilingType: 'SELECTIVE' })).rejects.toMatchObject({
      code: 'invalid',
      message: /^data\.markerConfig/,
    })
    const marker = { type: 'id', idColumnName: 'gone', fromId: 1, toId: 2, baseAssetId: null }
    await expect(start({ profilingType: 'SELECTIVE', markerConfig: marker })).rejects.toThrow(/data\.markerConfig/)
    const locator = {
      kind: 'table',
      engine: 'SQLITE',
      path: '/a.db',
      schema: 'main',
      table: 'a',
      columns: [],
      fingerprint: '',
    }
    const table = tableFixture({ assetId: 70, uid: 'sales.db.a', locator })
    await harness.deps.documents.put([tableCopyPut('default', table, '1')])
    const incremental = { profilingType: 'INCREMENTAL' }
    await expect(start(incremental, 70)).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(start(full, 12)).rejects.toMatchObject({ code: 'unprocessable', message: /its table/ })
    await expect(start(full, 999)).rejects.toMatchObject({ code: 'not-found' })
    await expect(read(999)).rejects.toMatchObject({ code: 'not-found' })
    await expect(cancel(999)).rejects.toMatchObject({ code: 'not-found' })
    await expect(harness.call(operations.getLatestProfile, { params: { id: 999 } })).rejects.toMatchObject({
      code: 'not-found',
    })
    expect(harness.engine.profiled).toHaveLength(1)
  })

  it('is not found by another tenant', async () => {
    const id = await startedId()
    await ended(id)
    const theirs = { params: { id: 11, profileId: id }, tenant: 'other' }
    await expect(start(full, 11, 'other')).rejects.toMatchObject({ code: 'not-found' })
    for (const operation of [operations.getProfile, operations.getProfileResult, operations.cancelProfile])
      await expect(harness.call(operation, theirs)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a protected column, then its values are hidden without the permission, also in an older profile', async () => {
    const id = await startedId()
    await ended(id)
    await harness.deps.bus.publish(
      internalTopics.tags,
      [
        { kind: 'tag', revision: 0, tagId: 5, name: 'pii', protected: true, mergedIntoId: null },
        { kind: 'association', revision: 0, associationId: 1, tagId: 5, assetId: 13, tableId: 11, present: true },
      ].map((data, index) => ({
        id: `tag-${index}`,
        key: String(index),
        type: 'x',
        tenant: 'default',
        time: '2026-11-20T10:00:00.000Z',
        position: String(100 + index).padStart(19, '0'),
        data,
      })),
    )
    const hidden = await eventually(
      () => result(id, ['ASSET_PROTECTED_VIEW']),
      ({ data }) => data.columns.some(({ masked }) => masked),
    )
    expect(hidden.data.columns).toMatchObject([
      { name: 'order_id', masked: false, min: 1 },
      {
        name: 'amount',
        masked: true,
        min: '***',
        max: '***',
        mean: null,
        quantiles: [],
        mostFrequent: [],
        distinct: 3,
      },
    ])
    expect((await result(id)).data.columns.map(({ masked }) => masked)).toEqual([false, false])
  })
})

describe('a profile of a view', () => {
  const view = (sourceIds: number[], revision: number) =>
    harness.deps.documents.put([
      tableCopyPut('default', tableFixture({ assetId: 60, uid: 'sales.v', sourceIds, revision }), '1'),
    ])
  const startOfView = async () => bodyOf(await start(full, 60)).data.id
  const endedOfView = (profileId: number, without: Permission[] = []) =>
    eventually(
      async () => {
        const params = { id: 60, profileId }
        return bodyOf(await harness.call(operations.getProfile, { params, without })).profileRequest
      },
      ({ status }) => status !== 'IN_PROGRESS',
    )

  it('given the view is redefined before the profile begins, then the profile fails and reads nothing', async () => {
    harness.engine.behave({ kind: 'hang' })
    const other = await startedId()
    await untilRunning()
    await view([50], 1)
    const id = await startOfView()
    await view([70], 2)
    harness.engine.behave({ kind: 'end' })
    await cancel(other)
    expect(await endedOfView(id)).toMatchObject({
      status: 'FAILED',
      errorMessage: expect.stringContaining('redefined'),
    })
    expect(harness.engine.profiled).toHaveLength(1)
  })

  it('given the profile failed at a protected value, then redefining the view does not show the value', async () => {
    const of = { associationId: 1, tagId: 1, assetId: 51, tableId: 50, present: true }
    await harness.deps.documents.put([
      tagCopyPut('default', tagFixture(), '1'),
      tagCopyPut('default', { kind: 'association', revision: 0, ...of }, '1'),
    ])
    await view([50], 1)
    const error = new AssayError('unprocessable', "Conversion Error: Could not convert string 'secret'")
    harness.engine.behave({ kind: 'fail', error })
    const id = await startOfView()
    expect((await endedOfView(id)).errorMessage).toContain('secret')
    await view([70], 2)
    expect((await endedOfView(id, ['ASSET_PROTECTED_VIEW'])).errorMessage).not.toContain('secret')
  })
})

describe('a worker that dies', () => {
  it('given an expired claim, then another worker completes the profile, and late results of the first are removed', async () => {
    const { promise: until, resolve: finish } = Promise.withResolvers<void>()
    harness.engine.behave({ kind: 'wait', until })
    const id = await startedId()
    await untilRunning()
    harness.clock.time += 21_000
    const engine = createFakeEngine()
    const other = harness.another({ engine, timers: createManualTimers() })
    await other.start()
    const done = await ended(id)
    expect(done).toMatchObject({ status: 'SUCCESSFUL' })
    expect(engine.profiled).toHaveLength(1)
    finish()
    await harness.service.stop()
    expect(await files()).toEqual([`default/profiles/11/${id}.attempt-2/profile.json`])
    const { document } = (await harness.deps.documents.get(assetProfiles, 'default', id)) ?? {}
    expect(document).toMatchObject({ status: 'succeeded', result: { key: `default/profiles/11/${id}.attempt-2` } })
  })

  it('given the worker stops, then it releases the profile, and another worker claims it immediately', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = await startedId()
    await untilRunning()
    await harness.service.stop()
    const other = harness.another({ engine: createFakeEngine(), timers: createManualTimers() })
    await other.start()
    const profileId = id
    const params = { id: 11, profileId }
    const ask = async () => bodyOf(await harness.call(operations.getProfile, { params }, other)).profileRequest
    expect(await eventually(ask, ({ status }) => status !== 'IN_PROGRESS')).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('given figures of a profile that was not completed, then the next profile removes them', async () => {
    const stage = await harness.artifacts.stage('default')
    await stage.commit('default/profiles/11/77')
    const first = await startedId()
    await ended(first)
    const second = await startedId()
    await ended(second)
    const keys = await files()
    expect(keys.toSorted()).toEqual([first, second].map((id) => `default/profiles/11/${id}/profile.json`))
  })
})

describe('suggestions', () => {
  const suggest = (without: Permission[] = []) =>
    harness.call(operations.listSuggestions, { params: { id: 11 }, without })

  it('need a profile, and are derived from the latest one and tested on the earlier ones', async () => {
    await expect(suggest()).rejects.toMatchObject({ code: 'unprocessable', message: /no profile yet/ })
    await ended(await startedId())
    const before = bodyOf(await suggest())
    expect(before[0]).toMatchObject({ measurementType: 'MISSING_VALUES', rank: 1, failureRate: null, partitions: 0 })
    await ended(await startedId())
    const after = bodyOf(await suggest())
    expect(after[0]).toMatchObject({ id: before[0]?.id, failureRate: 0, partitions: 1 })
    const theirs = { params: { id: 11 }, tenant: 'other' }
    await expect(harness.call(operations.listSuggestions, theirs)).rejects.toMatchObject({ code: 'not-found' })
  })
})

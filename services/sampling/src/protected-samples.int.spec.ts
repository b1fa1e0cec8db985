import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findTarget } from './copies/tables.ts'
import { takeSample } from './sampling/take-sample.ts'
import { type Harness, openHarness, tableFixture } from './testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

describe('protected values', () => {
  const viewer = { permissions: ['ASSET_VIEW'] } as const
  const tag = (tagId: number, isProtected: boolean, mergedIntoId: number | null = null, revision = 0) =>
    harness.tag({ kind: 'tag', revision, tagId, name: `t${tagId}`, protected: isProtected, mergedIntoId })
  const carry = (assetId: number, tagId: number, present = true, revision = 0) =>
    harness.tag({ kind: 'association', revision, associationId: assetId, tagId, assetId, tableId: 11, present })
  const notes = async () => {
    const { requestId } = await harness.sampled(11)
    const cached = await harness.request(11, viewer)
    expect(cached.sampleData).toEqual((await harness.result(requestId, viewer)).sampleData)
    return cached.sampleData.data[0]
  }

  it('given a protected column, then it is masked, in cached rows too, but not for keys that may see it', async () => {
    await harness.sampled(11)
    await tag(5, true)
    await carry(13, 5)
    expect(await notes()).toEqual({ id: 0, note: '***' })
    expect((await harness.request(13, viewer)).jobExecutionStatus).toBe('IN_PROGRESS')
    expect((await harness.request(11)).sampleData.data[0]).toEqual({ id: 0, note: 'row 0' })
    // The rows that match a condition would reveal the masked values.
    const requested = harness.request(11, { ...viewer, filter: "note = 'row 1'" })
    await expect(requested).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('filter') })
    expect((await harness.request(11, { filter: "note = 'row 1'" })).jobExecutionStatus).toBe('IN_PROGRESS')
    await carry(13, 5, false, 1)
    expect(await notes()).toEqual({ id: 0, note: 'row 0' })
  })
  it('given a filter on a column that became protected, then its rows are hidden, and rows of other filters are not', async () => {
    const sampled = async (filter: string) => (await harness.request(11, { filter })).requestId
    const [ofNote, ofId] = [await sampled("note = 'row 1'"), await sampled('id = 1')]
    for (const requestId of [ofNote, ofId]) await harness.ended(requestId)
    await tag(5, true)
    await carry(13, 5)
    const requested = harness.result(ofNote, viewer)
    await expect(requested).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('filter') })
    expect((await harness.result(ofNote)).sampleData.data[0]).toEqual({ id: 0, note: 'row 0' })
    expect((await harness.result(ofId, viewer)).sampleData.data[0]).toEqual({ id: 0, note: '***' })
  })
  it('given a protected column that its source renamed, then earlier rows stay masked', async () => {
    const { requestId } = await harness.sampled(11)
    const ofNote = await harness.sampled(13)
    await tag(5, true)
    await carry(13, 5)
    const { columns } = tableFixture()
    const renamed = columns.map((column) => (column.name === 'note' ? { ...column, id: 14, name: 'memo' } : column))
    await harness.table(tableFixture({ revision: 1, columns: renamed }))
    expect((await harness.result(requestId, viewer)).sampleData.data[0]).toEqual({ id: 0, note: '***' })
    expect((await harness.result(ofNote.requestId, viewer)).sampleData.data[0]).toMatchObject({ note: '***' })
    expect((await harness.result(requestId)).sampleData.data[0]).toEqual({ id: 0, note: 'row 0' })
  })
  it('given a tag, then rows are masked if it is unknown or merged into a protected tag, not if it is unprotected', async () => {
    await tag(5, false)
    await carry(13, 5)
    expect(await notes()).toEqual({ id: 0, note: 'row 0' })
    await tag(6, true)
    await tag(5, false, 6, 1)
    expect(await notes()).toEqual({ id: 0, note: '***' })
    await carry(13, 5, false, 1)
    await carry(12, 77)
    expect(await notes()).toEqual({ id: '***', note: 'row 0' })
  })
  it('given a protected table, then all columns are masked', async () => {
    await tag(5, true)
    await carry(11, 5)
    expect(await notes()).toEqual({ id: '***', note: '***' })
  })

  const source = (assetId: number, more: object = {}) =>
    harness.table({ ...tableFixture(), assetId, uid: `sales.${assetId}`, columns: [], ...more })
  const view = (sourceIds: number[] | undefined, revision = 1, sql = 'SELECT') =>
    harness.table(
      tableFixture({
        revision,
        locator: { kind: 'query', sql, tables: [], columns: [], fingerprint: String(revision) },
        ...(sourceIds === undefined ? {} : { sourceIds }),
      }),
    )
  const carrySource = (tableId: number, assetId: number, present = true, revision = 0) =>
    harness.tag({ kind: 'association', revision, associationId: 900, tagId: 5, assetId, tableId, present })
  const open = { id: 0, note: 'row 0' }
  const hidden = { id: '***', note: '***' }

  it.each(['first the view', 'first the tag'])(
    'given a view over a table with a protected column, when messages arrive %s, then the whole view is masked',
    async (order) => {
      await source(50)
      if (order === 'first the view') {
        await view([50])
        expect(await notes()).toEqual(open)
      }
      await tag(5, true)
      await carrySource(50, 51)
      if (order === 'first the tag') await view([50])
      expect(await notes()).toEqual(hidden)
      expect((await harness.request(11)).sampleData.data[0]).toEqual(open)
      await carrySource(50, 51, false, 1)
      expect(await notes()).toEqual(open)
    },
  )
  it('given a view over a view, then protection of the innermost table masks the rows, even if the views read each other', async () => {
    await source(50, { sourceIds: [11, 60] })
    await source(60)
    await view([50])
    await tag(5, true)
    expect(await notes()).toEqual(open)
    await carrySource(60, 60)
    expect(await notes()).toEqual(hidden)
  })
  it('given a view without published sources, then it counts as protected', async () => {
    await view(undefined)
    expect(await notes()).toEqual(hidden)
  })
  it('given a view whose SELECT changes, then rows of earlier samples are not reused, and earlier requests fail', async () => {
    await source(50)
    await view([50])
    const { requestId } = await harness.sampled(11)
    await view([50], 2)
    expect((await harness.request(11)).requestId).toBe(requestId)
    const target = await findTarget(harness.documents, 'default', 11)
    await view([50], 3, 'SELECT 1')
    expect((await harness.request(11)).requestId).not.toBe(requestId)
    const { signal } = new AbortController()
    const taken = target && takeSample(harness, { tenant: 'default', target, signal })
    await expect(taken).rejects.toMatchObject({ code: 'unprocessable', message: /redefined/ })
  })
  it.each(['the view', 'a view that it reads'])('given %s changed, then earlier rows stay hidden', async (changed) => {
    await source(50)
    await source(60)
    const define = (id: number, revision: number) =>
      changed === 'the view' ? view([id], revision) : source(70, { sourceIds: [id], revision })
    await define(50, 1)
    if (changed !== 'the view') await view([70])
    const { requestId } = await harness.sampled(11)
    await define(60, 2)
    await tag(5, true)
    await carrySource(50, 51)
    expect((await harness.result(requestId, viewer)).sampleData.data[0]).toEqual(hidden)
    const asked = await harness.request(11, viewer)
    expect(asked.requestId).not.toBe(requestId)
    expect(
      (await harness.ended(asked.requestId)) && (await harness.result(asked.requestId, viewer)).sampleData.data[0],
    ).toEqual(open)
  })
})

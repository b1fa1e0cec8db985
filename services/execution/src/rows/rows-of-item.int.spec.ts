import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { executionKinds, executionOperations } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { itemFixture } from '../testing/fixtures.ts'
import { bodyOf, type Harness } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const executions = new Map<string, number>()
const tenant = 'default'
const position = '0000000000000000001'
const { rows, download, result } = executionKinds.DATA_QUALITY
const formats = ['CSV', 'PARQUET', 'JSON'] as const

/** 400 orders that all fail the first item; the last 150 of them also fail the second. */
const orders = Array.from({ length: 400 }, (_, at) => `${at},-${at + 1},${at < 250 ? 'n' : ''}\n`)

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const path = join(on.folder, 'orders.csv')
  await writeFile(path, `order_id,amount,name\n${orders.join('')}`)
  const items = [
    itemFixture({ id: 1, measurementType: 'RANGE_MATCH', value: { min: 0 } }),
    itemFixture({ id: 2, measurementType: 'MISSING_VALUES', columnName: 'name' }),
  ]
  await harness.deps.documents.put([tableCopyPut(tenant, await on.tableAt(path), position)])
  for (const [index, format] of formats.entries())
    executions.set(format, await on.runKeeping(format, 40 + index, items))
}, 60_000)
afterAll(() => on.close())

describe('rows of one item', () => {
  const read = async (format: string, query: object) =>
    bodyOf(await harness.call(rows, { params: { id: executions.get(format) }, query }))

  it.each(formats)(
    "given rows beyond the first 100, stored as %s, when pages of an item are read, then they have each of the item's rows once",
    async (format) => {
      const seen: unknown[] = []
      for (const page of [0, 1, 2, 3]) {
        const { data, meta } = await read(format, { itemId: 2, page, size: 60 })
        expect(meta).toEqual({ count: 150, page, size: 60, fileRows: 400 })
        for (const row of data.rows) expect(row.ruleItemIds).toEqual([1, 2])
        seen.push(...data.rows.map(({ values }) => values.order_id))
      }
      expect(seen).toEqual(Array.from({ length: 150 }, (_, at) => 250 + at))
      expect((await read(format, { itemId: 1, size: 0 })).meta.count).toBe(400)
    },
  )

  it.each(formats)(
    'given rows stored as %s, when the rows of an item are read in descending order, then the last row comes first',
    async (format) => {
      const page = (number: number) => read(format, { itemId: 2, page: number, size: 60, sortBy: 'rowNumber:desc' })
      const ids = ({ data }: Awaited<ReturnType<typeof page>>) => data.rows.map(({ values }) => values.order_id)
      expect(ids(await page(0))).toEqual(Array.from({ length: 60 }, (_, at) => 399 - at))
      expect(ids(await page(2))).toEqual(Array.from({ length: 30 }, (_, at) => 279 - at))
      expect((await page(3)).meta.count).toBe(150)
    },
  )

  it('given a remote store, when pages are read, then the file is fetched once', async () => {
    const { artifacts } = harness.deps
    const open = artifacts.open
    const fetching = vi.spyOn(artifacts, 'open').mockImplementation(async (key) => {
      const opened = await open(key)
      return opened && { ...opened, path: undefined }
    })
    for (const page of [0, 1, 2]) expect((await read('CSV', { itemId: 2, page, size: 60 })).meta.count).toBe(150)
    expect(fetching).toHaveBeenCalledTimes(1)
    fetching.mockRestore()
  })

  it('given no item, when rows are read in ascending and in descending order, then both answers have the first 100 rows', async () => {
    const ids = async (sortBy: string) =>
      (await read('CSV', { sortBy, size: 100 })).data.rows.map(({ values }) => values.order_id)
    const first = Array.from({ length: 100 }, (_, at) => at)
    expect(await ids('rowNumber:ASC')).toEqual(first)
    expect(await ids('rowNumber:DESC')).toEqual(first.toReversed())
  })

  it.each(formats)(
    'given rows stored as %s, when they are sorted by a column, then the order is that of its type',
    async (format) => {
      const ids = async (query: object) =>
        (await read(format, { size: 60, ...query })).data.rows.map(({ values }) => values.order_id)
      // All 150 rows of item 2 are sorted, by number and not by text; the amount decreases as the id increases.
      const last = Array.from({ length: 60 }, (_, at) => 399 - at)
      expect(await ids({ itemId: 2, sortBy: 'amount:ASC' })).toEqual(last)
      expect(await ids({ itemId: 2, sortBy: 'order_id:desc' })).toEqual(last)
      expect(await ids({ itemId: 2, sortBy: 'amount:desc', page: 2 })).toEqual(last.slice(0, 30).toReversed())
      // Rows with equal values are in stored order, reversed when descending.
      expect(await ids({ itemId: 2, sortBy: 'name:asc', size: 2 })).toEqual([250, 251])
      expect(await ids({ itemId: 2, sortBy: 'name:desc', size: 2 })).toEqual([399, 398])
      // Without an item, only the first 100 rows of all are sorted.
      expect(await ids({ sortBy: 'amount:asc', size: 2 })).toEqual([99, 98])
    },
  )

  it('given an item that depends on a protected column, then its verdict and rows are hidden, also in listings', async () => {
    const { documents } = harness.deps
    const without = ['ASSET_PROTECTED_VIEW'] as const
    const tag = { kind: 'tag' as const, revision: 0, tagId: 1, name: 'pii', protected: true, mergedIntoId: null }
    const carried = { kind: 'association' as const, revision: 0, associationId: 1, tagId: 1, assetId: 13, tableId: 11 }
    await documents.put([
      tagCopyPut(tenant, tag, position),
      tagCopyPut(tenant, { ...carried, present: true }, position),
    ])
    for (const format of formats) {
      const id = executions.get(format)
      const shown = async (query: object) => bodyOf(await harness.call(rows, { params: { id }, query, without }))
      const { data, meta } = await shown({ size: 200 })
      expect([format, meta.count, data.rows.length]).toEqual([format, 150, 150])
      expect(data.rows[0]).toMatchObject({ values: { order_id: 250, amount: '***' }, ruleItemIds: [2] })
      expect((await shown({ itemId: 2, size: 1 })).data.rows[0]?.ruleItemIds).toEqual([2])
      await expect(shown({ itemId: 1 })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(shown({ category: 'good' })).rejects.toMatchObject({ code: expect.stringMatching(/forb|unproc/) })
      const { file } = await harness.call(download, { params: { id }, query: { format: 'CSV' }, without })
      const lines = (await text(file?.stream ?? Readable.from([]))).trim().split('\n')
      expect([lines.length, lines[1]]).toEqual([151, '250,***,,[2]'])
    }
    const id = executions.get('CSV')
    const verdicts = async (query: object, hidden: readonly 'ASSET_PROTECTED_VIEW'[]) => {
      const { body } = await harness.call(executionOperations.listExecutions, { query, without: hidden })
      return body.executions.map(({ execution }) => execution.resultStatus)
    }
    expect(await verdicts({ resultStatus: 'ERRORED' }, [])).toHaveLength(3)
    expect(await verdicts({ resultStatus: 'ERRORED' }, without)).toEqual([])
    expect(await verdicts({ sortBy: 'resultStatus:asc' }, without)).toEqual(['HIDDEN', 'HIDDEN', 'HIDDEN'])
    const shownResult = bodyOf(await harness.call(result, { params: { id }, without }))
    expect(shownResult.result).toMatchObject({ status: 'HIDDEN', qualityScore: null, failedRows: null, rows: 400 })
    expect(shownResult.items.map(({ status }) => status)).toEqual(['HIDDEN', 'ERRORED'])
    await documents.put([tagCopyPut(tenant, { ...carried, revision: 1, present: false }, position)])
  })

  it('given no item, then count is the number of rows in pages, and fileRows that of the file', async () => {
    expect((await read('PARQUET', { size: 0 })).meta).toMatchObject({ count: 100, fileRows: 400 })
  })

  it.each(formats)(
    'given rows stored as %s, when an item is downloaded, then the file has only its rows',
    async (format) => {
      const fileOf = (query: object) =>
        harness.call(executionKinds.DATA_QUALITY.download, {
          params: { id: executions.get(format) },
          query: { format: 'CSV', ...query },
        })
      const { file } = await fileOf({ itemId: 2 })
      expect(file?.name).toMatch(/-bad-item-2\.csv$/)
      expect((await text(file?.stream ?? Readable.from([]))).trim().split('\n')).toHaveLength(151)
      await expect(fileOf({ itemId: 3 })).rejects.toMatchObject({ code: 'not-found' })
    },
  )

  it.each(['amount', 'amount:up', ':asc'])('given the order %s, then it is refused', (sortBy) => {
    expect(rows.query.safeParse({ category: 'bad', sortBy }).success).toBe(false)
  })

  it('given an unknown column, then the error lists the known ones', async () => {
    await expect(read('CSV', { sortBy: 'nme:asc' })).rejects.toMatchObject({
      code: 'invalid',
      message: 'sortBy: the field must be one of rowNumber, order_id, amount, name.',
    })
  })

  it('given an unknown item, when its rows are requested, then 404', async () => {
    await expect(read('CSV', { itemId: 3 })).rejects.toMatchObject({ code: 'not-found' })
  })
})

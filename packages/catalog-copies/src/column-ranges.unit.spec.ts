import { defineCollection } from '@assay/documents'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { columnRangeFields, columnRanges, tableWithColumn } from './column-ranges.ts'

describe('the ranges of a table', () => {
  it('hold all its columns, apart from each other, in their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 5_000 })), (ids) => {
        const ranges = columnRanges(ids)
        for (const id of ids) expect(ranges.filter(({ from, to }) => from <= id && id <= to)).toHaveLength(1)
        for (const [at, { from }] of ranges.entries()) expect(from).toBeGreaterThan((ranges[at - 1]?.to ?? -100) + 99)
      }),
    )
  })
})

describe('the table of a column', () => {
  const schema = z.object({ id: z.int(), ids: z.array(z.int()) })
  type Copy = z.infer<typeof schema>
  const idsOf = ({ ids }: Copy) => ids
  const fields = columnRangeFields(idsOf)
  const tables = defineCollection<Copy>({ name: 'tables', version: 1, idType: 'integer', schema, fields })
  /** Ten thousand tables, to each of which a column was added later; the last one was changed often. */
  const all = Array.from({ length: 10_000 }, (_, at) => ({ id: at, ids: [1_000 * at + 1, 90_000_000 + 1_000 * at] }))
  all.push({ id: 10_000, ids: [5, 1_005, 2_005, 3_005, 4_005, 5_005].map((id) => id + 500) })
  let read = 0
  const find = (async (
    _collection: unknown,
    _tenant: string,
    query: { where?: readonly object[]; page?: number; size?: number },
  ) => {
    const fits = (copy: Copy) =>
      (query.where ?? []).every((condition) => {
        const { field, is, from, to } = condition as { field: string; is?: unknown; from?: number; to?: number }
        const value = fields[field]?.of(copy) ?? null
        if (value === null) return false
        return is === undefined ? (from ?? -1) <= Number(value) && Number(value) <= (to ?? Infinity) : value === is
      })
    const { page = 0, size = 25 } = query
    const found = all.filter(fits)
    const documents = found.slice(page * size, (page + 1) * size)
    read += documents.length
    return { documents, count: found.length }
  }) as unknown as Parameters<typeof tableWithColumn>[0]['find']
  const tableOf = async (id: number) => (await tableWithColumn({ find }, tables, 't', id, idsOf))?.id

  it.each([
    [1, 0],
    [9_999_001 - 1_000, 9_998],
    [90_000_000 + 5_000, 5],
    [505, 10_000],
    [5_505, 10_000],
    [2, undefined],
    [91_000_001, undefined],
  ])('of %s is %s, and few are read', async (column, table) => {
    read = 0
    expect(await tableOf(column)).toBe(table)
    expect(read).toBeLessThan(10)
  })
})

import { defineCollection } from '@assay/documents'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { columnRangeFields, columnRanges, tablesWithColumns, tableWithColumn } from './column-ranges.ts'

describe('the ranges of a table', () => {
  it('contain all columns of the table, do not overlap, and are in order', () => {
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
  /** Ten thousand tables. A column was added to each later, and the last one was changed often. */
  const all = Array.from({ length: 10_000 }, (_, at) => ({ id: at, ids: [1_000 * at + 1, 90_000_000 + 1_000 * at] }))
  all.push({ id: 10_000, ids: [5, 1_005, 2_005, 3_005, 4_005, 5_005].map((id) => id + 500) })
  let read = 0
  let looks = 0
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
    looks += 1
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
  ])('of %s is %s, and few tables are read', async (column, table) => {
    read = 0
    expect(await tableOf(column)).toBe(table)
    expect(read).toBeLessThan(10)
  })

  it('given many columns with close ids, then one query finds the table of each', async () => {
    const close = Array.from({ length: 50 }, (_, at) => ({
      id: 20_000 + at,
      ids: [2, 3, 4].map((id) => 400 + 4 * at + id),
    }))
    all.push(...close)
    looks = 0
    const columns = close.flatMap(({ ids }) => ids)
    const found = await tablesWithColumns({ find }, tables, 't', columns, idsOf)
    expect([...found].map(([id, table]) => [id, table.ids.includes(id)])).toHaveLength(150)
    for (const { id, ids } of close) for (const column of ids) expect(found.get(column)?.id).toBe(id)
    expect(looks).toBeLessThan(5)
  })

  it('given columns with distant ids, of which some have no table, then the tables of the other columns are found', async () => {
    const columns = [1, 2, 9_998_001, 90_005_000, 505, 5_505, 91_000_001]
    const found = await tablesWithColumns({ find }, tables, 't', columns, idsOf)
    const alone = await Promise.all(columns.map(async (id) => [id, await tableOf(id)] as const))
    expect([...found].map(([id, table]) => [id, table.id]).toSorted()).toEqual(
      alone.filter(([, table]) => table !== undefined).toSorted(),
    )
    expect(found.size).toBe(5)
  })
})

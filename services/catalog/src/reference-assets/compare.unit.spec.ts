import type { ColumnDistribution } from '@assay/reliability'
import { describe, expect, it } from 'vitest'
import { baselineVerdict, columnDrift, compareWithReference } from './compare.ts'

/** Rows of each key, 0 first. */
const numbers = (name: string, counts: number[], more: { dataType?: string; nulls?: number } = {}) => {
  const buckets = counts.flatMap((count, key): [string, number][] => (count === 0 ? [] : [[String(key), count]]))
  return { ...{ name, dataType: 'BIGINT', nulls: 0 }, kind: 'numbers' as const, spread: { shift: 0, buckets }, ...more }
}
const values = (hashedBy: string, shares: number[]): ColumnDistribution => ({
  ...{ name: 'a', dataType: 'VARCHAR', nulls: 0 },
  ...{ kind: 'values', hashedBy, shares },
})
const found = (...columns: ColumnDistribution[]) => ({ rows: 1000, columns })

describe('the limit of a distance', () => {
  it('grows as samples shrink', () => {
    const many = columnDrift(numbers('a', [5000, 5000]), numbers('a', [5000, 5000]))
    const few = columnDrift(numbers('a', [5, 5]), numbers('a', [5, 5]))
    expect(many?.limit).toBe(0.1)
    expect(few?.limit).toBeGreaterThan(0.3)
  })
})

describe('a comparison with a reference', () => {
  const reference = found(numbers('a', [0, 500, 500, 0]), numbers('b', [0, 500, 500, 0]))

  it('given the same data, then it is successful', () => {
    expect(compareWithReference(reference, reference)).toMatchObject({
      status: 'SUCCESSFUL',
      message: null,
      count: 1000,
    })
  })
  it('given a missing, a new and a drifted column, then each is named', () => {
    const now = found(numbers('b', [0, 0, 10, 990]), numbers('c', [1, 1, 1, 1]))
    const { status, message } = compareWithReference(reference, now)
    expect(status).toBe('ERRORED')
    expect(message).toMatch(/missing: a\. .*distribution: b \(distance 0\.\d+.*does not have: c\./)
  })
  it('given only a new column, then a warning, but another type or no rows is an error', () => {
    const added = found(...reference.columns, numbers('c', [1, 1, 1, 1]))
    expect(compareWithReference(reference, added).status).toBe('WARNING')
    const typed = (dataType: string) =>
      compareWithReference(
        reference,
        found(numbers('a', [0, 500, 500, 0], { dataType }), numbers('b', [0, 500, 500, 0])),
      )
    const text = 'a (BIGINT in the reference, now SMALLINT)'
    expect(typed('SMALLINT')).toMatchObject({ status: 'ERRORED', message: expect.stringContaining(text) })
    expect(typed('DOUBLE')).toMatchObject({ status: 'WARNING', message: expect.stringContaining('wider type: a (') })
    expect(compareWithReference(reference, { ...reference, rows: 0 }).message).toContain('no rows')
  })
  it('given values that another engine version has hashed, then they are not compared, which is a warning', () => {
    const status = (hashedBy: string) =>
      compareWithReference(found(values('one', [1000, 0])), found(values(hashedBy, [0, 1000]))).status
    expect([status('one'), status('other')]).toEqual(['ERRORED', 'WARNING'])
  })
  it('given an unmeasured column on either side, then the other columns are compared, with a warning', () => {
    const failed = found({ name: 'a', dataType: 'BIGINT', nulls: 0, kind: 'unmeasured' }, ...reference.columns.slice(1))
    for (const [before, now] of [
      [reference, failed],
      [failed, reference],
      [failed, failed],
    ] as const)
      expect(compareWithReference(before, now)).toMatchObject({
        status: 'WARNING',
        message: expect.stringContaining('says why: a.'),
      })
    expect(baselineVerdict(failed)).toMatchObject({
      status: 'WARNING',
      message: expect.stringMatching(/baseline.*: a\./),
    })
    expect(baselineVerdict(reference).status).toBe('SUCCESSFUL')
  })
  it('given a column with more nulls than before, then it has drifted', () => {
    const now = found(numbers('a', [0, 100, 100, 0], { nulls: 800 }), numbers('b', [0, 500, 500, 0]))
    expect(compareWithReference(reference, now).message).toContain('a (distance')
  })
})

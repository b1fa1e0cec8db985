import type { ItemRecord } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemOf } from './item-fixture.ts'
import { judgeItem } from './judge-item.ts'
import { passingPercentage, shownPercentage } from './percentage.ts'
import { thresholdRecordOf, type Verdict } from './threshold.ts'

const started = '2026-11-20T10:00:00.000Z'
const judged = (item: ItemRecord, result: MetricResult, treatZeroRowsAsSuccess = false) =>
  judgeItem({ item, result, runStartedAt: started, treatZeroRowsAsSuccess })
const rows = (scanned: number, failed: number): MetricResult => ({ id: 7, kind: 'rows', scanned, failed })
const measured = (value: string | null, scanned = 10): MetricResult => ({ id: 7, kind: 'value', value, scanned })
const missing = (given: Partial<ItemRecord> = {}) =>
  itemOf({ measurementType: 'MISSING_VALUES', columnName: 'a', ...given })
const absolute = (
  config: Parameters<typeof thresholdRecordOf>[0] extends infer T
    ? Extract<T, { type: 'ABSOLUTE' }> extends { config: infer C }
      ? C
      : never
    : never,
) => thresholdRecordOf({ type: 'ABSOLUTE', config })

describe('row items', () => {
  const table: [number, number, number, number, Verdict][] = [
    // scanned, failed, threshold, percentage, verdict
    [3, 1, 66, 66.6667, 'SUCCESSFUL'],
    [3, 1, 66.6667, 66.6666, 'ERRORED'],
    [4, 1, 75, 75, 'SUCCESSFUL'],
    [10_000_000, 1, 100, 99.9999, 'ERRORED'],
    [10_000_000, 1, 99, 99.9999, 'SUCCESSFUL'],
    [9_007_199_254_740_991, 1, 100, 99.9999, 'ERRORED'],
    [200_000, 1, 99.9995, 99.9995, 'SUCCESSFUL'],
    [10, 10, 0, 0, 'SUCCESSFUL'],
    [1000, 1, 99.9, 99.9, 'SUCCESSFUL'],
  ]
  it.each(table)(
    '%d scanned, %d failed, at least %d → %d %s',
    (scanned, failed, resultThreshold, resultPercentage, verdict) => {
      expect(judged(missing({ resultThreshold }), rows(scanned, failed))).toEqual({
        verdict,
        resultPercentage,
        rowsScanned: scanned,
        rowsFailed: failed,
        value: null,
        error: null,
        range: { lower: resultThreshold, upper: null },
      })
    },
  )

  it('thresholdConfig takes precedence over resultThreshold', () => {
    const thresholdConfig = absolute({ direction: 'ABOVE', success: 90, warning: 50 })
    expect(judged(missing({ thresholdConfig }), rows(10, 1)).verdict).toBe('SUCCESSFUL')
    expect(judged(missing({ thresholdConfig }), rows(10, 5)).verdict).toBe('WARNING')
    expect(judged(missing({ thresholdConfig }), rows(10, 6)).verdict).toBe('ERRORED')
  })
  it('ROWS counts failed rows, regardless of their share', () => {
    const atMost = absolute({ direction: 'BELOW', unit: 'ROWS', success: 0, warning: 5 })
    const [clean, some, many] = [0, 5, 6].map((failed) =>
      judged(missing({ thresholdConfig: atMost }), rows(1_000_000, failed)),
    )
    expect(clean).toMatchObject({ verdict: 'SUCCESSFUL', resultPercentage: 100 })
    expect(some).toMatchObject({ verdict: 'WARNING', resultPercentage: 99.9995, rowsFailed: 5 })
    expect(many?.verdict).toBe('ERRORED')
  })
  it('BELOW and RANGE', () => {
    const below = absolute({ direction: 'BELOW', success: 10, warning: 20 })
    expect([9, 8, 7].map((failed) => judged(missing({ thresholdConfig: below }), rows(10, failed)).verdict)).toEqual([
      'SUCCESSFUL',
      'WARNING',
      'ERRORED',
    ])
    const range = absolute({
      direction: 'RANGE',
      lowerSuccess: 40,
      upperSuccess: 60,
      lowerWarning: 30,
      upperWarning: undefined,
    })
    expect(
      [7, 6, 5, 4, 3, 8].map((failed) => judged(missing({ thresholdConfig: range }), rows(10, failed)).verdict),
    ).toEqual(['WARNING', 'SUCCESSFUL', 'SUCCESSFUL', 'SUCCESSFUL', 'ERRORED', 'ERRORED'])
  })
  it('zero rows', () => {
    expect(judged(missing(), rows(0, 0))).toMatchObject({
      verdict: 'ERRORED',
      error: 'no rows',
      resultPercentage: null,
    })
    expect(judged(missing(), rows(0, 0), true)).toMatchObject({
      verdict: 'SUCCESSFUL',
      error: null,
      resultPercentage: 100,
    })
  })
  it('a warning item is WARNING at worst', () => {
    expect(judged(missing({ isWarning: true }), rows(10, 10)).verdict).toBe('WARNING')
    expect(judged(missing({ isWarning: true }), { id: 7, kind: 'error', message: 'no such column' })).toMatchObject({
      verdict: 'WARNING',
      error: 'no such column',
    })
  })
  it('a threshold that looks back passes with a note until there are enough runs', () => {
    const thresholdConfig = {
      type: 'ANOMALY' as const,
      success: null,
      warning: null,
      config: { successSensitivityLevel: 'HIGH' },
    }
    expect(judged(missing({ thresholdConfig }), rows(10, 1))).toMatchObject({
      verdict: 'SUCCESSFUL',
      resultPercentage: 90,
      rowsFailed: 1,
      error: null,
      note: expect.stringContaining('7 runs'),
    })
  })
})

describe('measured values', () => {
  const sum = (value: Record<string, unknown>, given: Partial<ItemRecord> = {}) =>
    itemOf({ measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'a', value, ...given })
  const table: [Record<string, unknown>, string, number][] = [
    [{ operator: 'EQ', value: 0.3 }, '0.3', 100],
    [{ operator: 'EQ', value: '0.3' }, '0.30000000000000000001', 0],
    [{ operator: 'GT', value: '12345678901234567890.000000001' }, '12345678901234567890.000000002', 100],
    [{ operator: 'LT', value: 0 }, '-1e-300', 100],
    [{ operator: 'LTE', value: 5 }, '5.000', 100],
    [{ operator: 'NEQ', value: 5 }, 'NaN', 100],
    [{ operator: 'GTE', value: 5 }, 'NaN', 0],
    [{ operator: 'GTE', value: 5 }, 'Infinity', 100],
    [{ operator: 'BETWEEN', min: 1, max: 2 }, '2', 100],
    [{ operator: 'BETWEEN', min: 1, max: 2 }, '2.0001', 0],
  ]
  it.each(table)('%j of %s → %d', (value, text, resultPercentage) => {
    expect(judged(sum(value), measured(text))).toMatchObject({
      resultPercentage,
      verdict: resultPercentage === 100 ? 'SUCCESSFUL' : 'ERRORED',
      value: text,
    })
  })
  it('MIN and MAX of days', () => {
    const max = (value: Record<string, unknown>) => sum(value, { aggregateType: 'MAX' })
    expect(judged(max({ operator: 'GTE', value: '2026-01-01' }), measured('2026-01-01T00:00:00Z')).verdict).toBe(
      'SUCCESSFUL',
    )
    expect(judged(max({ operator: 'LT', value: '2026-01-01' }), measured('2026-01-01')).verdict).toBe('ERRORED')
    expect(judged(max({ operator: 'LTE', value: '2026-01-01' }), measured('2026-01-01T23:59:59.9Z')).verdict).toBe(
      'SUCCESSFUL',
    )
    expect(judged(max({ operator: 'LTE', value: '1969-07-20' }), measured('1969-07-20T12:00:00Z')).verdict).toBe(
      'SUCCESSFUL',
    )
    expect(judged(max({ operator: 'LTE', value: '1969-07-20' }), measured('1969-07-21')).verdict).toBe('ERRORED')
    expect(judged(sum({ operator: 'LT', value: 5 }), measured('apple'))).toMatchObject({
      verdict: 'ERRORED',
      error: expect.stringMatching(/cannot be compared/),
    })
  })
  it('no value, and zero rows', () => {
    expect(judged(sum({ operator: 'GT', value: 0 }), measured(null))).toMatchObject({
      verdict: 'ERRORED',
      error: 'no value',
    })
    expect(judged(sum({ operator: 'GT', value: 0 }), measured(null, 0), true).verdict).toBe('SUCCESSFUL')
    const count = itemOf({ measurementType: 'AGGREGATES', aggregateType: 'COUNT', value: { operator: 'EQ', value: 0 } })
    expect(judged(count, measured('0', 0))).toMatchObject({ verdict: 'SUCCESSFUL', value: '0' })
  })
  it('SQL_METRIC: thresholdConfig judges the number; without it, the operator does', () => {
    const metric = (given: Partial<ItemRecord>) =>
      itemOf({ measurementType: 'SQL_METRIC', value: { sql: 'SELECT 1' }, ...given })
    const thresholdConfig = absolute({ direction: 'BELOW', success: 5, warning: 8 })
    expect(['5', '7.5', '8.01'].map((text) => judged(metric({ thresholdConfig }), measured(text)))).toMatchObject([
      { verdict: 'SUCCESSFUL', resultPercentage: 100 },
      { verdict: 'WARNING', resultPercentage: 0 },
      { verdict: 'ERRORED', resultPercentage: 0 },
    ])
    const both = metric({ thresholdConfig, value: { sql: 'SELECT 1', operator: 'EQ', value: 99 } })
    expect(judged(both, measured('5')).verdict).toBe('SUCCESSFUL')
    const operator = metric({ value: { sql: 'SELECT 1', operator: 'EQ', value: 99 } })
    expect(judged(operator, measured('99')).verdict).toBe('SUCCESSFUL')
    expect(judged(operator, measured('abc')).error).toMatch(/cannot be compared/)
  })
  it('FRESHNESS_CHECK: the age in seconds, the limit inclusive', () => {
    const fresh = (maxAge: string) =>
      itemOf({ measurementType: 'FRESHNESS_CHECK', columnName: 'at', value: { maxAge } })
    expect(judged(fresh('PT1H'), measured('2026-11-20T09:00:00Z'))).toMatchObject({
      verdict: 'SUCCESSFUL',
      resultPercentage: 100,
      value: '3600',
    })
    expect(judged(fresh('PT1H'), measured('2026-11-20T08:59:59.999999Z'))).toMatchObject({
      verdict: 'ERRORED',
      resultPercentage: 0,
      value: '3600.000001',
    })
    expect(judged(fresh('P1M'), measured('2026-10-20T10:00:00Z')).verdict).toBe('SUCCESSFUL')
    expect(judged(fresh('P1M'), measured('2026-10-20')).verdict).toBe('ERRORED')
    expect(judged(fresh('P1D'), measured('2026-11-20T10:00:01Z'))).toMatchObject({ verdict: 'SUCCESSFUL', value: '-1' })
  })
})

describe('laws', () => {
  const rank = { SUCCESSFUL: 2, WARNING: 1, ERRORED: 0 }
  const counts = fc
    .integer({ min: 1, max: 2 ** 40 })
    .chain((scanned) => fc.tuple(fc.constant(scanned), fc.integer({ min: 0, max: scanned - 1 })))
  const limits = fc
    .tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }))
    .map(([a, b]) => ({
      direction: 'ABOVE' as const,
      success: Math.max(a, b) / 10_000,
      warning: Math.min(a, b) / 10_000,
    }))

  it('one more failing row never improves the verdict or the percentage', () => {
    fc.assert(
      fc.property(counts, limits, fc.boolean(), ([scanned, failed], config, isWarning) => {
        const item = missing({ thresholdConfig: absolute(config), isWarning })
        const [before, after] = [judged(item, rows(scanned, failed)), judged(item, rows(scanned, failed + 1))]
        expect(rank[after.verdict]).toBeLessThanOrEqual(rank[before.verdict])
        expect(after.resultPercentage ?? 0).toBeLessThanOrEqual(before.resultPercentage ?? 0)
      }),
    )
  })
  it('the shown percentage gets the verdict of the exact one', () => {
    fc.assert(
      fc.property(counts, limits, ([scanned, failed], config) => {
        const item = missing({ thresholdConfig: absolute(config) })
        const outcome = judged(item, rows(scanned, failed))
        const shown = outcome.resultPercentage ?? -1
        expect(shown >= config.success ? 'SUCCESSFUL' : shown >= config.warning ? 'WARNING' : 'ERRORED').toBe(
          outcome.verdict,
        )
        expect(shown === 100).toBe(failed === 0)
      }),
    )
  })
  it('the shown percentage is within half a unit of the last digit, unless a threshold is near', () => {
    fc.assert(
      fc.property(counts, ([scanned, failed]) => {
        const shown = shownPercentage(passingPercentage(scanned, failed), () => true)
        expect(Math.abs(shown - (100 * (scanned - failed)) / scanned)).toBeLessThan(0.000_101)
      }),
    )
  })
})

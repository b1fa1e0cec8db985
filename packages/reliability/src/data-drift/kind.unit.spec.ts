import type { ColumnState, CountedValue } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { exactOf } from '../exact.ts'
import type { Found, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { EndedRun } from '../kinds/run-kind.ts'
import { allSteps } from '../kinds/steps.ts'
import { figureOf } from '../series/figure.ts'
import type { History } from '../series/look-back.ts'
import { dayMs, daysOf } from '../series/series-day.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { DataDriftItem, DataDriftPolicy } from './definition.ts'
import { dataDrift } from './kind.ts'

const startedAt = '2026-11-20T10:00:00.000Z'
const anomaly = { type: 'ANOMALY' as const, config: { successSensitivityLevel: 'MEDIUM' as const } }
const learns = { thresholdConfig: { ...anomaly, success: null, warning: null } }
const item = (changes: Partial<DataDriftItem> = {}): DataDriftItem => ({
  ...{ id: 1, name: 'amount', executionOrder: 0, thresholdConfig: null, columnName: 'amount', metricType: 'MEAN' },
  ...{ driftThreshold: 10, measure: 'JS', weightage: 1, value: null },
  ...changes,
})
const policyOf = (items: DataDriftItem[], changes: Partial<DataDriftPolicy> = {}) => {
  const definition: DataDriftPolicy = {
    ...{ policyId: 7, assetId: 11, filter: null, marker: null, timeoutMinutes: null, treatZeroRowsAsSuccess: false },
    baseline: { type: 'PREVIOUS' },
    items,
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    ...changes,
  }
  return dataDrift.open({ definition, shown: { items: [] } })(3)
}
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const side = { side: 'ONE' as const, assetId: 11, columns: [], references, mark: null }
const runOf = (changes: Partial<RunGiven> = {}): RunGiven => ({
  ...{ startedAt, executionType: 'FULL', itemSelection: null, markKey: null, sides: [side] },
  ...changes,
})

/** A column of whole numbers, or of text, with the number of rows of each value. */
function column(counts: Record<string, number>, changes: Partial<ColumnState> = {}): ColumnState {
  const { dataType = 'BIGINT' } = changes
  const isText = dataType === 'VARCHAR'
  const values = Object.entries(counts).map(([key, count], index): CountedValue => {
    const value = isText ? key : Number(key)
    return { value, position: isText ? null : Number(key), hash: String(index), count }
  })
  const rows = values.flatMap(({ value, count }) => Array.from({ length: count }, () => value))
  const numbers = isText ? [] : rows.map(Number)
  const sum = (list: number[]) => String(list.reduce((all, one) => all + one, 0))
  const sums = { sum: sum(numbers), squares: sum(numbers.map((one) => one ** 2)), base: 10 as const, exponent: 0 }
  const cases = { upper: 0, lower: 0, mixed: 0 }
  for (const value of rows)
    cases[
      value === String(value).toUpperCase() ? 'upper' : value === String(value).toLowerCase() ? 'lower' : 'mixed'
    ] += 1
  const types = { BOOLEAN: 0, INTEGER: 0, DECIMAL: 0, DATE: 0, TIMESTAMP: 0, UUID: 0, TEXT: rows.length }
  const lengths = rows.reduce<number>((all, value) => all + String(value).length, 0)
  return {
    ...{ name: 'amount', dataType, hashedBy: 'test', nulls: 0, error: null },
    known: {
      ...{ count: rows.length, notFinite: null, least: values[0] ?? null, greatest: values.at(-1) ?? null },
      text: isText
        ? {
            empty: 0,
            blank: 0,
            minLength: 1,
            maxLength: 9,
            lengths,
            ...cases,
            minWords: 1,
            maxWords: 1,
            patterns: null,
            types,
          }
        : null,
      number: isText ? null : { zeros: 0, negatives: 0, sums },
      values: { kind: 'each', values },
    },
    ...changes,
  }
}
const stateOf = (...columns: ColumnState[]) => {
  const [first] = columns
  return { rows: (first?.nulls ?? 0) + (first?.known?.count ?? 0), columns }
}
const found = (...columns: ColumnState[]): Found[] => [{ kind: 'PROFILE', side: 'ONE', state: stateOf(...columns) }]
const after = (...columns: ColumnState[]) => runOf({ baseline: { from: 3, to: 5, state: stateOf(...columns) } })

/** A history of one value a day. */
function historyOf(values: readonly number[]): History {
  const now = Date.parse(startedAt)
  const points = values.map((value, index) => ({ at: now - (index + 1) * dayMs, value: figureOf(exactOf(value)) }))
  return { now, days: daysOf(points) }
}
const detailsOf = (judged: JudgedRun) => judged.outcomes.map(({ detail }) => detail)

describe('a data drift run', () => {
  it('given its items, then it asks once for their columns, with the filter', () => {
    const policy = policyOf([item(), item({ id: 2 }), item({ id: 3, columnName: 'b' })], { filter: 'a > 0' })
    expect(policy.step(runOf(), [])).toEqual([
      { kind: 'PROFILE', side: 'ONE', columns: ['amount', 'b'], filter: { sql: 'a > 0', variables: {} } },
    ])
    expect(policy.step(runOf(), found())).toEqual([])
  })

  it('given no baseline, or a column that it does not have, then the item is LEARNING and passes', () => {
    const policy = policyOf([item()])
    for (const run of [runOf(), after(column({ 1: 1 }, { name: 'other' }))]) {
      const judged = allSteps(policy.judge(run, found(column({ 1: 5 })), new Map()))
      expect([judged.verdict, detailsOf(judged)]).toMatchObject(['SUCCESSFUL', [{ state: 'LEARNING' }]])
      expect(judged.profile).toEqual(stateOf(column({ 1: 5 })))
      expect(policy.summary?.(judged.outcomes)).toContain('no baseline yet')
    }
  })

  it('given metrics, then each change is in percent of the baseline, and fires strictly above its threshold', () => {
    const text = { dataType: 'VARCHAR', name: 'name' }
    const of = (metricType: DataDriftItem['metricType'], columnName = 'amount') =>
      item({ measure: null, metricType, columnName, driftThreshold: 50 })
    const [then, now] = [column({ 1: 2, 3: 2 }), column({ 1: 1, 5: 1 }, { nulls: 2 })]
    const [before, present] = [column({ a: 1, B: 1 }, text), column({ aa: 3, bb: 1 }, text)]
    const items = [
      ...[of('COMPLETENESS'), of('APPROXIMATE_DISTINCT_VALUES'), of('DATA_TYPE'), of('MEAN'), of('MAXIMUM')],
      ...[of('MINIMUM'), of('SUM'), of('STANDARD_DEVIATION'), of('LENGTH', 'name'), of('CASE_COUNTS', 'name')],
    ].map((one, id) => ({ ...one, id: id + 1 }))
    const judged = allSteps(policyOf(items).judge(after(then, before), found(now, present), new Map()))
    const shown = judged.outcomes.map(({ value, verdict, detail }) => [value, detail?.referenceValue, verdict])
    expect(shown).toEqual([
      ['50', '100', 'SUCCESSFUL'],
      ['2', '2', 'SUCCESSFUL'],
      ['BIGINT', 'BIGINT', 'SUCCESSFUL'],
      ['3', '2', 'SUCCESSFUL'],
      ['5', '3', 'ERRORED'],
      ['1', '1', 'SUCCESSFUL'],
      ['6', '8', 'SUCCESSFUL'],
      [String(Math.sqrt(8)), String(Math.sqrt(4 / 3)), 'ERRORED'],
      ['2', '1', 'ERRORED'],
      ['0 % upper', '50 % upper', 'SUCCESSFUL'],
    ])
    expect(detailsOf(judged)[4]).toMatchObject({ driftPercent: 66.666667, threshold: 50, thresholdBy: 'GIVEN' })
  })

  it('given a measure, then its bins show which values moved, and it names the runs of its baseline', () => {
    const policy = policyOf([item({ driftThreshold: 20, measure: 'LINF' })])
    const judged = allSteps(policy.judge(after(column({ 1: 5, 2: 5 })), found(column({ 1: 2, 2: 8 })), new Map()))
    expect(judged.verdict).toBe('ERRORED')
    expect(judged.judged).toMatchObject([{ metric: 'LINF', value: '30', lower: null, upper: 20, fired: true }])
    expect(detailsOf(judged)).toMatchObject([
      { driftPercent: 30, referenceProfileFrom: 3, referenceProfileTo: 5, approximate: false },
    ])
    const [execution] = policy.records(ended(judged)).executions
    expect(execution?.bins).toContainEqual({ bin: '2', reference: 0.5, current: 0.8 })
    expect(execution).toMatchObject({ executionId: 9, requestId: 'data-drift-9' })
    expect(policy.summary?.(judged.outcomes)).toMatch(
      /^1 of 1 item drifted, the farthest by 30 % \(limit 20 %\)\. The bin 2 had 50 % /,
    )
  })

  it('given another type, unreadable values or a column that is gone, then the item says so', () => {
    const policy = policyOf([item()])
    const errorOf = (run: RunGiven, ...now: ColumnState[]) =>
      allSteps(policy.judge(run, found(...now), new Map())).outcomes[0]?.error
    expect(errorOf(after(column({ 1: 1 })), column({ 1: 1 }, { name: 'other' }))).toContain(
      "no longer has the column 'amount'",
    )
    expect(errorOf(after(column({ a: 1 }, { dataType: 'VARCHAR' })), column({ 1: 1 }))).toContain('type changed')
    expect(errorOf(after(column({ 1: 1 })), column({ 1: 1 }, { known: null, nulls: 1 }))).toContain('could not read')
  })

  it('given a column that is of another type since its baseline, then the item says that its metric needs the old one', () => {
    const [number, text] = [column({ 1: 1 }), column({ a: 1 }, { dataType: 'VARCHAR' })]
    const errorOf = (metricType: DataDriftItem['metricType'], then: ColumnState, now: ColumnState) =>
      allSteps(policyOf([item({ measure: null, metricType })]).judge(after(then), found(now), new Map())).outcomes[0]
        ?.error
    expect(errorOf('MEAN', text, text)).toBe(
      'There is no MEAN of this column: it is text (VARCHAR), and MEAN needs numbers.',
    )
    expect(errorOf('LENGTH', number, number)).toBe(
      'There is no LENGTH of this column: it is BIGINT, and LENGTH needs text.',
    )
    expect(errorOf('MEAN', number, column({}, { nulls: 2 }))).toContain('it has no values')
  })

  it('given no rows, then treatZeroRowsAsSuccess decides, and the run keeps no profile', () => {
    const judgeWith = (treatZeroRowsAsSuccess: boolean) =>
      allSteps(
        policyOf([item()], { treatZeroRowsAsSuccess }).judge(after(column({ 1: 1 })), found(column({})), new Map()),
      )
    const [strict, lenient] = [judgeWith(false), judgeWith(true)]
    expect(strict).toMatchObject({ verdict: 'ERRORED', outcomes: [{ error: 'There are no rows.' }] })
    expect(lenient).toMatchObject({ verdict: 'SUCCESSFUL', outcomes: [{ error: null }] })
    expect([strict.profile, lenient.profile]).toEqual([undefined, undefined])
  })

  it('given drifts close to zero, then the learned threshold is not far above the largest one', () => {
    const policy = policyOf([item(learns)])
    const run = after(column({ 1: 50, 2: 50 }))
    const [lookBack] = policy.lookBacks(run)
    const drifts = [0.264881, 0.003578, 0.123993, 0.201, 0.09, 0.31, 0.0007, 0.18, 0.05, 0.27, 0.14]
    const past = new Map(lookBack === undefined ? [] : [[lookBack.key, historyOf(drifts)]])
    const [learned] = detailsOf(allSteps(policy.judge(run, found(column({ 1: 40, 2: 60 })), past)))
    expect(learned).toMatchObject({ thresholdBy: 'LEARNED' })
    expect(learned?.threshold).toBeLessThan(5)
  })

  it('given ten runs before, then the threshold is learned, else 10', () => {
    const policy = policyOf([item(learns)])
    const run = after(column({ 1: 50, 2: 50 }))
    const [lookBack] = policy.lookBacks(run)
    const limitAfter = (points: number) => {
      const history = historyOf(Array.from({ length: points }, (_, index) => 2 + (index % 3) / 10))
      const past = new Map(lookBack === undefined ? [] : [[lookBack.key, history]])
      return detailsOf(allSteps(policy.judge(run, found(column({ 1: 45, 2: 55 })), past)))[0]
    }
    expect(limitAfter(9)).toMatchObject({ thresholdBy: 'DEFAULT', threshold: 10, learned: { points: 9, needed: 10 } })
    const learned = limitAfter(30)
    expect(learned).toMatchObject({ thresholdBy: 'LEARNED', learned: { points: 30, needed: 10 } })
    expect(learned?.expectedFalseAlarmsPerMonth).toBeGreaterThan(0)
    expect(limitAfter(9)).not.toHaveProperty('expectedFalseAlarmsPerMonth')
    expect(learned?.threshold).toBeGreaterThan(2.2)
    expect(learned?.threshold).toBeLessThan(4)
  })

  it('given selected items, then the run keeps no profile; given a part of the data, then it adds no points', () => {
    const policy = policyOf([item()])
    const judge = (changes: Partial<RunGiven>) =>
      allSteps(policy.judge({ ...after(column({ 1: 1 })), ...changes }, found(column({ 1: 1 })), new Map()))
    expect(Object.keys(judge({}).points ?? {})).toHaveLength(1)
    expect(judge({ itemSelection: [1] }).profile).toBeUndefined()
    expect(judge({ executionType: 'SELECTIVE' }).points).toBeUndefined()
    expect(policy.profiles?.(runOf({ executionType: 'SELECTIVE' })).baseline).toBeNull()
    expect(policy.profiles?.(runOf()).baseline).toEqual({ type: 'PREVIOUS' })
    const scope = (changes: Partial<RunGiven>) => policy.profiles?.(runOf(changes)).scope
    expect(scope({})).toBe(scope({ startedAt: '2026-11-21T10:00:00.000Z' }))
    expect(scope({})).not.toBe(scope({ executionType: 'INCREMENTAL' }))
  })

  it('given a caller who may not see the column, then its records have no figures', () => {
    const policy = policyOf([item()])
    const judged = allSteps(policy.judge(after(column({ 1: 5, 2: 5 })), found(column({ 1: 2, 2: 8 })), new Map()))
    const { executions, results } = policy.records({ ...ended(judged), hidden: new Set([1]) })
    for (const record of [executions[0], results[0]])
      expect(record).toMatchObject({ status: 'HIDDEN', driftPercent: null, bins: [], pValue: null })
    expect(policy.reads(null)).toMatchObject([{ itemId: 1, columns: ['amount'] }])
  })
})

function ended({ outcomes }: { outcomes: EndedRun['outcomes'] }): EndedRun {
  const of = { executionId: 9, requestId: 'data-drift-9', itemSelection: null }
  const run = { ...of, startedAt, finishedAt: startedAt, includeInQualityScore: true }
  return { ...run, outcomes, hidden: new Set() }
}

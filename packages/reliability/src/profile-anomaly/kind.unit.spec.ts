import type { Anomaly } from '@assay/contracts'
import type { ColumnState } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { anomalyDetail } from '../anomaly/detail.ts'
import { exactOf } from '../exact.ts'
import type { Found, JudgedRun, RunGiven } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { figureOf } from '../series/figure.ts'
import type { History } from '../series/look-back.ts'
import { dayMs, daysOf } from '../series/series-day.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { AnomalyPolicy } from './definition.ts'
import { autoAnomaly, profileAnomaly } from './kind.ts'

const startedAt = '2026-11-20T10:00:00.000Z'
const columns = [
  { name: 'amount', dataType: 'BIGINT' },
  { name: 'note', dataType: 'VARCHAR' },
]
type Item = AnomalyPolicy['items'][number]
const item = (changes: Partial<Item> = {}): Item => ({
  ...{
    id: 1,
    ruleId: 7,
    executionOrder: 0,
    name: 'amounts',
    thresholdConfig: null,
    monitorColumns: null,
    metrics: null,
  },
  ...changes,
})
const policyOf = (changes: Partial<AnomalyPolicy> = {}, kind = profileAnomaly) => {
  const definition: AnomalyPolicy = {
    ...{ policyId: 7, assetId: 11, filter: null, marker: null, timeoutMinutes: null, treatZeroRowsAsSuccess: false },
    ...{ sensitivity: 'MEDIUM', items: [], freshnessColumn: null },
    metrics: ['ROW_COUNT', 'COMPLETENESS', 'MEAN', 'MEDIAN', 'LENGTH', 'DATA_TYPE'],
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    ...changes,
  }
  return kind.open({ definition, shown: { items: [] } })(3)
}
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const runOf = (changes: Partial<RunGiven> = {}): RunGiven => ({
  ...{ startedAt, executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns, references, mark: null }],
  ...changes,
})

/** `rows` amounts of `amount`, of which `nulls` more are NULL, and as many notes of four letters. */
function stateOf({ rows = 100, nulls = 0, amount = 10, type = 'BIGINT' } = {}): Found[] {
  const value = { value: amount, position: amount, hash: '1', count: rows }
  const sums = { sum: String(rows * amount), squares: String(rows * amount ** 2), base: 10 as const, exponent: 0 }
  const common = { hashedBy: 'test', error: null }
  const amounts: ColumnState = {
    ...{ ...common, name: 'amount', dataType: type, nulls },
    known: {
      ...{ count: rows, notFinite: null, least: value, greatest: value, text: null },
      ...{ number: { zeros: 0, negatives: 0, sums }, values: { kind: 'each', values: [value] } },
    },
  }
  const types = { BOOLEAN: 0, INTEGER: 0, DECIMAL: 0, DATE: 0, TIMESTAMP: 0, UUID: 0, TEXT: rows }
  const text = {
    empty: 0,
    blank: 0,
    minLength: 4,
    maxLength: 4,
    lengths: 4 * rows,
    upper: 0,
    lower: rows,
    mixed: 0,
    minWords: 1,
    maxWords: 1,
    patterns: null,
    types,
  }
  const notes: ColumnState = {
    ...{ ...common, name: 'note', dataType: 'VARCHAR', nulls: nulls },
    known: {
      ...{ count: rows, notFinite: null, least: null, greatest: null, text, number: null },
      values: { kind: 'each', values: [] },
    },
  }
  return [{ kind: 'PROFILE', side: 'ONE', state: { rows: rows + nulls, columns: [amounts, notes] } }]
}

/** A value a day for each series that the run looks back at. */
function pastOf(policy: ReturnType<typeof policyOf>, run: RunGiven, found: Found[], days: number) {
  const now = Date.parse(startedAt)
  const { points = {} } = allSteps(policy.judge(run, found, new Map()))
  return new Map(
    Object.entries(points).map(([key, value]): [string, History] => {
      const at = (index: number) => ({ at: now - (index + 1) * dayMs, value })
      return [key, { now, days: daysOf(Array.from({ length: days }, (_, index) => at(index))) }]
    }),
  )
}
const detailOf = ({ outcomes }: JudgedRun, index = 0) => anomalyDetail.parse(outcomes[index]?.detail)
const firedOf = (anomalies: Anomaly[]) =>
  anomalies.flatMap(({ fired, metric, columnName }) => (fired ? [`${metric} ${columnName}`] : []))

describe('a profile anomaly run', () => {
  it('given no items, then it profiles all columns once and watches the metrics that their types have', () => {
    const policy = policyOf({ filter: 'amount > 0' })
    const [request] = policy.step(runOf(), [])
    expect(request).toEqual({
      ...{ kind: 'PROFILE', side: 'ONE', columns: ['amount', 'note'] },
      filter: { sql: 'amount > 0', variables: {} },
    })
    expect(policy.step(runOf(), stateOf())).toEqual([])
    // Rows, then COMPLETENESS, MEAN and MEDIAN of amount, and COMPLETENESS and LENGTH of note.
    expect(policy.lookBacks(runOf())).toHaveLength(6)
  })

  it('given fewer than seven runs, then it is learning, and passes', () => {
    const policy = policyOf()
    const judged = allSteps(policy.judge(runOf(), stateOf(), pastOf(policy, runOf(), stateOf(), 6)))
    expect(judged.outcomes).toMatchObject([
      {
        itemId: 7,
        verdict: 'SUCCESSFUL',
        resultPercentage: 100,
        note: expect.stringContaining('after 7 runs; so far there are 6'),
      },
    ])
    expect(detailOf(judged)).toMatchObject({ state: 'LEARNING', learned: { points: 6, needed: 7 }, anomalyCount: 0 })
  })

  it('given a usual history, then the metrics that changed fire with a reason, and the others do not', () => {
    const policy = policyOf()
    const past = pastOf(policy, runOf(), stateOf(), 30)
    const usual = allSteps(policy.judge(runOf(), stateOf(), past))
    expect([usual.verdict, detailOf(usual).anomalyCount, firedOf(detailOf(usual).anomalies)]).toEqual([
      'SUCCESSFUL',
      6,
      [],
    ])
    const judged = allSteps(policy.judge(runOf(), stateOf({ amount: 20, nulls: 50 }), past))
    const { anomalies, state, expectedFalseAlarmsPerMonth } = detailOf(judged)
    expect(firedOf(anomalies).sort()).toEqual([
      ...['COMPLETENESS amount', 'COMPLETENESS note', 'MEAN amount', 'MEDIAN amount', 'ROW_COUNT null'],
    ])
    expect(anomalies.map(({ fired }) => fired)).toEqual([true, true, true, true, true, false])
    expect(anomalies.find(({ metric }) => metric === 'MEAN')).toMatchObject({
      ...{ at: startedAt, value: 20, expected: expect.closeTo(10, 6), score: expect.any(Number) },
      reason: expect.stringMatching(/^The mean of 'amount' is 20\. Usual: 10 \(.* to .*\)\.$/),
    })
    expect([judged.verdict, judged.outcomes[0]?.value, judged.outcomes[0]?.resultPercentage]).toEqual([
      'ERRORED',
      '5',
      16.6667,
    ])
    expect(state).toBe('JUDGED')
    // Six series, with 31 values in 30 days each.
    expect(expectedFalseAlarmsPerMonth).toBeCloseTo((6 * 0.011 * 31) / 30, 3)
    const summary = policy.summary?.(judged.outcomes.map((outcome) => ({ ...outcome })))
    expect(summary).toMatch(/^5 of 6 figures are unusual\. The /)
  })

  it('given figures that learn again, then the summary of the others says how many', () => {
    const policy = policyOf()
    const all = [...pastOf(policy, runOf(), stateOf(), 30)]
    const judgedWith = (history: (days: History['days']) => History['days'], amount = 10) => {
      const past = new Map(all.map(([key, { now, days }], at) => [key, { now, days: at < 2 ? history(days) : days }]))
      return allSteps(policy.judge(runOf(), stateOf({ amount }), past)).outcomes
    }
    const two = ' 2 other figures are learning: their usual values are known after 7 runs; so far there are 0.'
    expect(policy.summary?.(judgedWith(() => []))).toBe(`None of 4 figures is unusual.${two}`)
    expect(policy.summary?.(judgedWith(() => [], 20))).toMatch(
      / of 4 figures are unusual\. .* 2 other figures are learning: /,
    )
    expect(policy.summary?.(judgedWith((days) => days))).toBe('None of 6 figures is unusual.')
  })

  it.each([
    [undefined, ['ERRORED', 'SUCCESSFUL', 'WARNING', 'ERRORED']],
    ['INCREASED_BY' as const, ['SUCCESSFUL', 'SUCCESSFUL', 'WARNING', 'ERRORED']],
    ['DECREASED_BY' as const, ['ERRORED', 'SUCCESSFUL', 'SUCCESSFUL', 'SUCCESSFUL']],
  ])('given a warning sensitivity and the direction %s, then values are judged by them', (direction, verdicts) => {
    const levels = { successSensitivityLevel: 'LOW' as const, warningSensitivityLevel: 'HIGH' as const }
    const config = { ...levels, direction }
    const thresholdConfig = thresholdRecordOf({ type: 'ANOMALY', config })
    const policy = policyOf({ items: [item({ thresholdConfig, monitorColumns: ['amount'], metrics: ['MEAN'] })] })
    const [lookBack] = policy.lookBacks(runOf())
    const now = Date.parse(startedAt)
    const values = Array.from({ length: 40 }, (_, index) => 1_000 + (index % 5) * 10)
    const points = values.map((value, index) => ({ at: now - (index + 1) * dayMs, value: figureOf(exactOf(value)) }))
    const past = new Map([[lookBack?.key ?? '', { now, days: daysOf(points) }]])
    const verdictOf = (amount: number) => allSteps(policy.judge(runOf(), stateOf({ amount }), past)).verdict
    expect([500, 1_020, 1_090, 1_900].map(verdictOf)).toEqual(verdicts)
  })

  it('given another type, a column that is gone, or no rows, then the item says so', () => {
    const policy = policyOf({ items: [item({ monitorColumns: ['amount'] })] })
    const first = allSteps(policy.judge(runOf(), stateOf(), new Map()))
    const other = allSteps(policy.judge(runOf({ learned: first.learned }), stateOf({ type: 'DOUBLE' }), new Map()))
    expect(detailOf(other).anomalies).toMatchObject([
      { metric: 'DATA_TYPE', fired: true, reason: "The type of 'amount' was BIGINT and is now DOUBLE." },
    ])
    const gone = policyOf({ items: [item({ monitorColumns: ['old'] })] })
    const errorOf = (judged: JudgedRun) => judged.outcomes[0]?.error
    expect(errorOf(allSteps(gone.judge(runOf(), stateOf(), new Map())))).toContain("no longer has the column 'old'")
    const none: Found[] = [{ kind: 'PROFILE', side: 'ONE', state: { rows: 0, columns: [] } }]
    const past = pastOf(policyOf(), runOf(), stateOf(), 30)
    const empty = allSteps(policyOf().judge(runOf(), none, past))
    expect([errorOf(empty), firedOf(detailOf(empty).anomalies)]).toEqual([null, ['ROW_COUNT null']])
  })

  it('given a run over selected rows, then it is compared with none, and later runs not with it', () => {
    const selective = runOf({ executionType: 'SELECTIVE' })
    const judged = allSteps(policyOf().judge(selective, stateOf(), new Map()))
    expect([judged.verdict, judged.points, judged.learned]).toEqual(['SUCCESSFUL', undefined, undefined])
    expect(policyOf().lookBacks(selective)).toEqual([])
  })

  it('given a thousand columns, then at most 200 series are kept, and judging pauses between them', () => {
    const wide = Array.from({ length: 1_000 }, (_, index) => ({ name: `c${index}`, dataType: 'VARCHAR' }))
    const policy = policyOf({ metrics: ['COMPLETENESS'] })
    const run = runOf({ sides: [{ side: 'ONE', assetId: 11, columns: wide, references, mark: null }] })
    const [found] = stateOf()
    const column = found?.kind === 'PROFILE' ? found.state.columns[1] : undefined
    const state = { rows: 100, columns: wide.flatMap(({ name }) => (column ? [{ ...column, name }] : [])) }
    const all: Found[] = [{ kind: 'PROFILE', side: 'ONE', state }]
    const steps = policy.judge(run, all, pastOf(policy, run, all, 10))
    let pauses = 0
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) {
        const { anomalies, anomalyCount } = detailOf(value)
        expect([anomalies.length, anomalyCount, pauses]).toEqual([200, 1_000, 1_000])
        return
      }
      pauses += 1
    }
  })
})

describe('an auto anomaly run', () => {
  const policy = policyOf({ metrics: ['ROW_COUNT', 'FRESHNESS', 'VOLUME'] }, autoAnomaly)
  /** Data that the source changed `age` seconds before the run. */
  const changed = (age: number, bytes = 1_000): Found[] => {
    const at = new Date(Date.parse(startedAt) - age * 1000).toISOString()
    const change = {
      at,
      source: 'FILE_TIME' as const,
      times: [at],
      files: 1,
      bytes,
      newestBytes: bytes,
      messages: null,
      state: null,
      elapsedMs: 1,
    }
    return [...stateOf(), { kind: 'LAST_CHANGE', side: 'ONE', change }]
  }

  it.each([
    ['older than usual', changed(90_000), ['FRESHNESS null']],
    ['fresher than usual', changed(60), []],
    ['smaller than usual', changed(3_600, 100), ['VOLUME null']],
  ])('given data that is %s, then %j fires', (_, found, fired) => {
    expect(policy.step(runOf(), []).map(({ kind }) => kind)).toEqual(['PROFILE', 'LAST_CHANGE'])
    const judged = allSteps(policy.judge(runOf(), found, pastOf(policy, runOf(), changed(3_600), 30)))
    expect(firedOf(detailOf(judged).anomalies)).toEqual(fired)
  })

  it('given a column that was added, then the schema fires', () => {
    const policy = policyOf({ metrics: ['ROW_COUNT', 'SCHEMA'] }, autoAnomaly)
    const learned = { assetId: 11, types: { amount: 'BIGINT', old: 'BIGINT' } }
    const judged = allSteps(policy.judge(runOf({ learned }), stateOf(), new Map()))
    expect(detailOf(judged).anomalies).toMatchObject([
      {
        ...{ metric: 'SCHEMA', columnName: null, value: 2, fired: true },
        reason: 'The schema changed since the last run. Columns: 1 added (note), 1 removed (old).',
      },
    ])
    expect(judged.learned).toEqual({ assetId: 11, types: { amount: 'BIGINT', note: 'VARCHAR' } })
  })
})

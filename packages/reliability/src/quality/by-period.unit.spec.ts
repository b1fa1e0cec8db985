import type { ItemRecord } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { anomalyDetail } from '../anomaly/detail.ts'
import { itemOf } from '../item-fixture.ts'
import type { Found, FoundPeriods, RunGiven } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { dayMs } from '../series/series-day.ts'
import { quality } from './kind.ts'

const today = Date.UTC(2026, 10, 20)
const usual = { type: 'ANOMALY' as const, config: { successSensitivityLevel: 'MEDIUM' }, success: null, warning: null }
const filled = itemOf({ measurementType: 'MISSING_VALUES', id: 1, columnName: 'amount', thresholdConfig: usual })
const total = itemOf({
  ...{ measurementType: 'AGGREGATES', id: 2, columnName: 'amount', aggregateType: 'SUM', thresholdConfig: usual },
})
const duplicates = itemOf({ measurementType: 'DUPLICATE_ROWS_CHECK', id: 3, thresholdConfig: usual })

function policyOf(items: readonly ItemRecord[], definition: object = {}) {
  const shown = { isProtectedResource: false, sparkSQLFilterType: 'STATIC', autoRetryEnabled: false }
  const { thresholdConfig: threshold } = itemOf({ measurementType: 'CUSTOM' })
  const score = { strategy: 'WEIGHTAGE', items: [], threshold, verdictBy: 'ITEMS' }
  const sides = [{ side: 'ONE', assetId: 11, filter: null, marker: null }]
  const periods = {
    ...{ columnName: null, granularity: 'DAY', from: new Date(today - 10 * dayMs).toISOString(), timeZone: 'UTC' },
    ...{ freshnessColumn: 'made', marker: null },
  }
  const own = { sides, timeoutMinutes: null, treatZeroRowsAsSuccess: false, score, periods, items, ...definition }
  return quality.open({ definition: own, shown: { ...shown, items: items.map(() => ({})) } })(1)
}
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const columns = [
  { name: 'amount', dataType: 'BIGINT' },
  { name: 'made', dataType: 'DATE' },
]
const run: RunGiven = {
  ...{ startedAt: '2026-11-20T10:00:00.000Z', executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns, references, mark: null }],
}

type Period = FoundPeriods['periods'][number]
const day = (failed: number, sum: string | null, rows = 1000): Period => ({
  rows,
  metrics: [
    { id: 1, kind: 'rows', scanned: rows, failed },
    { id: 2, kind: 'value', value: sum, scanned: rows },
  ],
})
/** Nine days with ten missing values and a sum of 100, and a last one. */
const foundWith = (last: Period): Found[] => [
  {
    ...{ kind: 'MEASURE', side: 'ONE', problems: new Map(), rowsScanned: 10_000 },
    results: [
      { id: 1, kind: 'rows', scanned: 10_000, failed: 100 },
      { id: 2, kind: 'value', value: '1000', scanned: 10_000 },
      { id: 3, kind: 'rows', scanned: 10_000, failed: 0 },
    ],
  },
  { kind: 'PERIODS', side: 'ONE', periods: [...Array.from({ length: 9 }, (_, at) => day(10 + (at % 2), '100')), last] },
]
const judge = (last: Period, policy = policyOf([filled, total])) =>
  allSteps(policy.judge(run, foundWith(last), new Map()))
const detailOf = (judged: ReturnType<typeof judge>, index = 0) => anomalyDetail.parse(judged.outcomes[index]?.detail)

describe('items that learn usual values, on a table with days', () => {
  it('asks for all of them in one grouped scan, and says which have no periods', () => {
    const policy = policyOf([filled, total, duplicates])
    const [measured, byPeriod, more] = policy.step(run, [])
    expect([measured?.kind, byPeriod?.kind, more]).toEqual(['MEASURE', 'PERIODS', undefined])
    expect(byPeriod).toMatchObject({ time: [{ column: 'made' }], metrics: [{ id: 1 }, { id: 2 }] })
    expect(policy.lookBacks(run)).toHaveLength(5)
    const { outcomes } = allSteps(policy.judge(run, foundWith(day(10, '100')), new Map()))
    expect(outcomes.map(({ notBackfilled }) => notBackfilled)).toEqual([
      undefined,
      undefined,
      expect.stringContaining('among all rows'),
    ])
  })

  it('given no item that learns, then there are no periods', () => {
    const fixed = itemOf({ measurementType: 'MISSING_VALUES', id: 1, columnName: 'amount' })
    expect(policyOf([fixed]).step(run, [])).toHaveLength(1)
  })

  it('given a usual day, then they pass, with the counts of the run and a point for each day', () => {
    const judged = judge(day(10, '100'))
    expect(judged.outcomes).toMatchObject([
      { verdict: 'SUCCESSFUL', resultPercentage: 99, rowsScanned: 10_000, rowsFailed: 100 },
      { verdict: 'SUCCESSFUL', resultPercentage: 100, value: '1000' },
    ])
    expect(detailOf(judged)).toMatchObject({ state: 'JUDGED', backfill: { source: 'FRESHNESS_COLUMN', points: 10 } })
    expect(judged.periods?.ends).toHaveLength(10)
    expect(judged.judged?.filter(({ periodEnd }) => periodEnd === today)).toHaveLength(2)
  })

  it('given a day with half of the values missing, then the item fires and names the usual values', () => {
    const judged = judge(day(500, '100'))
    expect(judged.outcomes).toMatchObject([
      { verdict: 'ERRORED', error: null, note: expect.stringMatching(/^50 % of the rows pass\. Usual: 9[89]/) },
      { verdict: 'SUCCESSFUL' },
    ])
    expect(detailOf(judged).anomalies).toMatchObject([{ metric: 'PERCENTAGE', value: 50, fired: true }])
    const warned = judge(day(500, '100'), policyOf([{ ...filled, isWarning: true }]))
    expect(warned.outcomes[0]?.verdict).toBe('WARNING')
  })

  it('given another sum, then the number fires', () => {
    const judged = judge(day(10, '900'))
    expect(judged.outcomes[1]).toMatchObject({ verdict: 'ERRORED', resultPercentage: 0, value: '1000' })
    expect(detailOf(judged, 1).expectedFalseAlarmsPerMonth).toBeGreaterThan(0)
  })

  it('given a newest day without rows, then a percentage cannot be evaluated, unless no rows are a success', () => {
    expect(judge(day(0, null, 0)).outcomes[0]).toMatchObject({
      verdict: 'ERRORED',
      error: expect.stringContaining('no rows'),
    })
    const lenient = policyOf([filled], { treatZeroRowsAsSuccess: true })
    expect(judge(day(0, null, 0), lenient).outcomes[0]).toMatchObject({ verdict: 'SUCCESSFUL', error: null })
  })

  it('given periods that could not be measured, then the value of the run counts', () => {
    const policy = policyOf([filled])
    const [first] = foundWith(day(10, '100'))
    const found: Found[] = [...(first ? [first] : []), { kind: 'PERIODS', side: 'ONE', periods: [] }]
    const judged = allSteps(policy.judge(run, found, new Map()))
    expect(judged.outcomes[0]).toMatchObject({
      verdict: 'SUCCESSFUL',
      note: expect.stringContaining('so far there are 0'),
    })
    expect(detailOf(judged)).toMatchObject({ state: 'LEARNING', learned: { points: 0 } })
    expect(judged.periods).toBeUndefined()
  })
})

describe('items that need too much memory by period', () => {
  it.each([
    ['all', { periods: [], problem: 'No memory.' }, ['No memory.', 'No memory.']],
    ['one', { leftOut: new Map([[2, 'No memory.']]) }, [undefined, 'No memory.']],
  ])('given %s of them, then the result names the reason', (_, unmeasured, reasons) => {
    const found = foundWith(day(10, '100')).map(
      (one): Found => (one.kind === 'PERIODS' ? { ...one, ...unmeasured } : one),
    )
    const { outcomes } = allSteps(policyOf([filled, total]).judge(run, found, new Map()))
    expect(outcomes.map(({ notBackfilled }) => notBackfilled)).toEqual(reasons)
  })
})

describe('what-if', () => {
  const days = (policy: ReturnType<typeof policyOf>, periodEnd?: number) => {
    const judged = judge(day(500, '100'))
    const of = { executionId: 1, startedAt: run.startedAt, outcomes: judged.outcomes }
    const points = (judged.judged ?? []).filter((point) => point.periodEnd === periodEnd)
    const history = () => ({ now: today, days: [] })
    return allSteps(policy.judgeAgain({ ...of, judged: points }, history))
  }
  it('given the values of a period, then only items that learn judge them', () => {
    expect(days(policyOf([filled, total]), today).map(({ metric }) => metric)).toEqual(['PERCENTAGE', 'NUMBER'])
    const fixed = itemOf({ measurementType: 'MISSING_VALUES', id: 1, columnName: 'amount' })
    expect(days(policyOf([fixed]), today)).toEqual([])
    expect(days(policyOf([fixed]))).toMatchObject([{ itemId: 1, fired: true }, { metric: 'SCORE' }])
  })
})

import { describe, expect, it } from 'vitest'
import { anomalyDetail } from '../anomaly/detail.ts'
import type { Found, FoundPeriods, RunGiven } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { runPeriods } from '../periods/run-periods.ts'
import { dayMs } from '../series/series-day.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import { type AnomalyPolicy, anomalyPolicy } from './definition.ts'
import { profileAnomaly } from './kind.ts'

const today = Date.UTC(2026, 10, 20)
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
const policyOf = (changes: Partial<AnomalyPolicy> = {}) => {
  const item = { id: 1, ruleId: 7, executionOrder: 0, name: 'amounts', thresholdConfig: null }
  const definition = anomalyPolicy.parse({
    ...{ policyId: 7, assetId: 11, filter: null, marker: null, timeoutMinutes: null, treatZeroRowsAsSuccess: false },
    ...{ sensitivity: 'MEDIUM', freshnessColumn: null, metrics: ['MEAN'] },
    items: [{ ...item, monitorColumns: ['amount'], metrics: ['MEAN'] }],
    periods: {
      ...{ columnName: null, granularity: 'DAY', from: new Date(today - 10 * dayMs).toISOString() },
      ...{ timeZone: 'UTC', freshnessColumn: 'made', marker: null },
    },
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    ...changes,
  })
  return profileAnomaly.open({ definition, shown: { items: [] } })(1)
}

type Period = FoundPeriods['periods'][number]
const ofValue = (value: string | null, rows = 5): Period => ({
  rows,
  metrics: [{ id: 1, kind: 'value', value, scanned: rows }],
})
/** Nine days with a mean of 10, and a last one. */
function foundWith(last: Period): Found[] {
  const amount = { name: 'amount', dataType: 'BIGINT', nulls: 0, hashedBy: 'test', known: null, error: null }
  return [
    { kind: 'PROFILE', side: 'ONE', state: { rows: 45, columns: [amount] } },
    { kind: 'PERIODS', side: 'ONE', periods: [...Array.from({ length: 9 }, () => ofValue('10')), last] },
  ]
}
const judge = (last: Period, policy = policyOf()) => allSteps(policy.judge(run, foundWith(last), new Map()))

describe('the verdict on the newest period', () => {
  it('given hours that differ by the hour of the week, then the first run knows them', () => {
    const periods = {
      ...{ columnName: 'made', granularity: 'HOUR' as const, from: null },
      ...{ timeZone: 'UTC', freshnessColumn: null, marker: null },
    }
    const atTime: RunGiven = {
      ...run,
      sides: [{ ...run.sides[0], columns: [columns[0] ?? [], { name: 'made', dataType: 'TIMESTAMP' }].flat() }],
    }
    const end = Date.UTC(2026, 10, 20, 10)
    const valueAt = (ago: number) => {
      const at = new Date(end - ago * 3_600_000)
      const isOpen = at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 8 && at.getUTCHours() < 18
      return String((isOpen ? 100 : 10) + (ago % 3))
    }
    const [profile] = foundWith(ofValue('10'))
    const count = (runPeriods(periods, atTime, 1)?.bounds.length ?? 0) - 1
    const measured = [
      ...Array.from({ length: count - 1 }, (_, index) => ofValue(valueAt(count - index))),
      ofValue('11'),
    ]
    const found: Found[] = [...(profile ? [profile] : []), { kind: 'PERIODS', side: 'ONE', periods: measured }]
    const { outcomes } = allSteps(policyOf({ periods }).judge(atTime, found, new Map()))
    expect(JSON.stringify(outcomes)).toContain('Usual at this hour of this day of the week: 101 (')
  })
  it('given values as in the earlier periods, then it passes', () => {
    expect(judge(ofValue('10')).outcomes).toMatchObject([{ verdict: 'SUCCESSFUL', resultPercentage: 100, error: null }])
  })
  it('given no rows in it, then the item cannot be evaluated, unless the policy treats no rows as a success', () => {
    expect(judge(ofValue(null, 0)).outcomes).toMatchObject([
      { verdict: 'ERRORED', resultPercentage: null, error: 'There are no rows.' },
    ])
    const lenient = policyOf({ treatZeroRowsAsSuccess: true })
    expect(judge(ofValue(null, 0), lenient).outcomes).toMatchObject([{ verdict: 'SUCCESSFUL', error: null }])
  })
  it('given a figure that could not be measured, then the item says why', () => {
    const failed: Period = { rows: 5, metrics: [{ id: 1, kind: 'error', message: 'amount is no number' }] }
    expect(judge(failed).outcomes).toMatchObject([
      { verdict: 'ERRORED', resultPercentage: null, error: 'amount is no number' },
    ])
  })
})

describe('an item whose column became text', () => {
  const error = "The column 'amount' holds no numbers any more, so there is no MEAN. Change the metrics of the item."
  const asText = { name: 'amount', dataType: 'VARCHAR', nulls: 0, hashedBy: 'test', known: null, error: null }
  const ofText = (rows = 45): Found => ({ kind: 'PROFILE', side: 'ONE', state: { rows, columns: [asText] } })
  const typed = (dataType: string): RunGiven => ({
    ...run,
    sides: [{ ...run.sides[0], columns: [{ name: 'amount', dataType }, ...columns.slice(1)] }],
  })
  const outcomeOf = (found: Found[], of = typed('VARCHAR'), policy = policyOf()) =>
    allSteps(policy.judge(of, found, new Map())).outcomes
  it('given the catalog knows it, or only the profile, then the item cannot be evaluated, and the summary says so', () => {
    for (const given of [typed('VARCHAR'), typed('BIGINT')]) {
      const outcomes = outcomeOf([ofText()], given)
      expect(outcomes).toMatchObject([{ verdict: 'ERRORED', resultPercentage: null, value: null, error }])
      expect(policyOf().summary?.(outcomes)).toBe('1 of the items could not be evaluated.')
    }
  })
  it('given no rows, then only that is said, because text is also the type of a column without values', () => {
    expect(outcomeOf([ofText(0)])).toMatchObject([{ error: 'There are no rows.' }])
  })
  it('given another column of the item that has the metric, or no metrics named, then there is no error', () => {
    const item = { id: 1, ruleId: 7, executionOrder: 0, name: 'amounts', thresholdConfig: null }
    const all = policyOf({ items: [{ ...item, monitorColumns: ['amount'], metrics: null }] })
    expect(outcomeOf([ofText()], typed('VARCHAR'), all)).toMatchObject([{ error: null }])
    const two = policyOf({ items: [{ ...item, monitorColumns: ['amount', 'price'], metrics: ['MEAN'] }] })
    const price = { ...asText, name: 'price', dataType: 'BIGINT' }
    const state = { rows: 45, columns: [asText, price] }
    expect(outcomeOf([{ kind: 'PROFILE', side: 'ONE', state }], typed('VARCHAR'), two)).toMatchObject([{ error: null }])
  })
})

describe('figures that need too much memory by period', () => {
  const reason = 'The run needed more memory than it may use.'
  const judgeWithout = (unmeasured: object) => {
    const found = foundWith(ofValue('10')).map(
      (one): Found => (one.kind === 'PERIODS' ? { ...one, ...unmeasured } : one),
    )
    return allSteps(policyOf().judge(run, found, new Map())).outcomes[0]
  }
  it.each([
    ['all of them', { periods: [], problem: reason }],
    ['one metric', { periods: [{ rows: 5, metrics: [] }], leftOut: new Map([[1, reason]]) }],
  ])('given %s, then the item learns from runs, and its result says why', (_, unmeasured) => {
    const outcome = judgeWithout(unmeasured)
    expect(outcome).toMatchObject({
      ...{ error: null, notBackfilled: `1 of 1 figures could not be measured by period. ${reason}` },
    })
    expect(anomalyDetail.parse(outcome?.detail).backfill).toBeUndefined()
  })
  it('given more figures than a run measures by period, then its result says how many are left out', () => {
    const names = Array.from({ length: 501 }, (_, at) => `c${at}`)
    const [profile] = foundWith(ofValue('10'))
    const wide: RunGiven = {
      ...run,
      sides: [{ ...run.sides[0], columns: [...names.map((name) => ({ name, dataType: 'BIGINT' })), ...columns] }],
    }
    const item = { id: 1, ruleId: 7, executionOrder: 0, name: 'all', thresholdConfig: null }
    const policy = policyOf({ items: [{ ...item, monitorColumns: names, metrics: ['MINIMUM', 'MAXIMUM'] }] })
    const found: Found[] = [...(profile ? [profile] : []), { kind: 'PERIODS', side: 'ONE', periods: [] }]
    const { outcomes } = allSteps(policy.judge(wide, found, new Map()))
    expect(outcomes[0]?.notBackfilled).toMatch(/^2 of \d+ figures .* at most 1000 figures by period/)
  })
  it('given more days than a run measures, then its first result says so', () => {
    const all = policyOf()
    const periods = { columnName: null, granularity: 'DAY' as const, from: null, timeZone: 'UTC', marker: null }
    const open = policyOf({ periods: { ...periods, freshnessColumn: 'made' } })
    const [profile] = foundWith(ofValue('10'))
    const days: Found = {
      kind: 'PERIODS',
      side: 'ONE',
      hasOlder: true,
      periods: Array.from({ length: 400 }, () => ofValue('10')),
    }
    const found = profile ? [profile, days] : []
    expect(allSteps(open.judge(run, found, new Map())).outcomes[0]?.notBackfilled).toMatch(
      /^A run measures at most 400/,
    )
    expect(allSteps(all.judge(run, foundWith(ofValue('10')), new Map())).outcomes[0]).not.toHaveProperty(
      'notBackfilled',
    )
  })
  it('given all are measured, then nothing is said', () => {
    expect(judgeWithout({})).not.toHaveProperty('notBackfilled')
  })
})

describe('the summary of a run', () => {
  const anomaly = (daysAgo: number, fired: boolean) => ({
    ...{ metric: 'MEAN' as const, columnName: 'amount', at: new Date(today - daysAgo * dayMs).toISOString(), value: 1 },
    ...{ expected: 1, lower: 0, upper: 2, score: 9, fired, reason: fired ? 'The mean is 1.' : null },
  })
  const summaryOf = (anomalies: ReturnType<typeof anomaly>[], earlierCount: number) => {
    const [outcome] = judge(ofValue('10')).outcomes
    const detail = anomalyDetail.parse(outcome?.detail)
    const all = { ...detail, anomalies, anomalyCount: anomalies.length, state: 'JUDGED', learned: null, earlierCount }
    return outcome && policyOf().summary?.([{ ...outcome, detail: all }])
  }
  it('given earlier days that fired and a newest day without a value, then no figure is unusual', () => {
    expect(summaryOf([anomaly(1, true), anomaly(2, true)], 2)).toBe('None of 0 figures is unusual.')
  })
  it('given earlier days, then only the newest counts', () => {
    expect(summaryOf([anomaly(0, true), anomaly(1, true), anomaly(2, false)], 2)).toBe(
      'The figure is unusual. The mean is 1.',
    )
  })
})

import type { Feedback } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import type { Found, Histories, RunGiven } from '../kinds/judging.ts'
import type { KindPolicy } from '../kinds/run-kind.ts'
import { allSteps } from '../kinds/steps.ts'
import { type AnomalyPolicy, anomalyPolicy } from '../profile-anomaly/definition.ts'
import { autoAnomaly } from '../profile-anomaly/kind.ts'
import type { History } from '../series/look-back.ts'
import { dayMs, daysOf, type SeriesPoint } from '../series/series-day.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { Origin, PastRun } from './past-run.ts'
import { whatIf } from './what-if.ts'

/** In Auckland a Monday, in UTC still a Sunday. */
const start = Date.parse('2026-03-01T12:30:00Z')
const timeZone = 'Pacific/Auckland'

const policyOf = (sensitivity: AnomalyPolicy['sensitivity']): KindPolicy => {
  const definition = anomalyPolicy.parse({
    ...{ policyId: 7, assetId: 11, filter: null, marker: null, timeoutMinutes: null, treatZeroRowsAsSuccess: false },
    ...{ sensitivity, items: [], freshnessColumn: null, metrics: ['ROW_COUNT', 'FRESHNESS', 'VOLUME'] },
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
  })
  return autoAnomaly.open({ definition, shown: { items: [] } })(1)
}
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const runOf = (at: number): RunGiven => ({
  ...{ startedAt: new Date(at).toISOString(), executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns: [], references, mark: null }],
})

const notSaid = { times: [], newestBytes: null, messages: null, state: null, elapsedMs: 0 }

/** Few rows at weekends of the zone, few bytes on day 40, and old data on day 45 after fresh data on day 42. */
function foundOn(day: number, at: number): Found[] {
  const rows = (day % 7 >= 5 ? 300 : 1000) + ((day * 5) % 13)
  const age = day === 45 ? 40_000 : day === 42 ? 1 : 3_600 + ((day * 7) % 11) * 60
  const bytes = day === 40 ? 10 : 50_000 + ((day * 3) % 17)
  const change = {
    at: new Date(at - age * 1000).toISOString(),
    bytes,
    source: 'FILE_TIME' as const,
    files: 1,
    ...notSaid,
  }
  return [
    { kind: 'PROFILE', side: 'ONE', state: { rows, columns: [] } },
    { kind: 'LAST_CHANGE', side: 'ONE', change },
  ]
}

/** Runs as the execution service has them: each is judged by the values of those before. */
function runsOf(policy: KindPolicy, count: number): PastRun[] {
  const series = new Map<SeriesKey, SeriesPoint[]>()
  return Array.from({ length: count }, (_, day): PastRun => {
    const at = start + day * dayMs
    const run = runOf(at)
    const past: Histories = new Map(
      [...series].map(([key, points]): [SeriesKey, History] => [key, { now: at, days: daysOf(points), timeZone }]),
    )
    const { outcomes, judged = [] } = allSteps(policy.judge(run, foundOn(day, at), past))
    for (const { key, value } of judged) if (key !== null) series.set(key, [...(series.get(key) ?? []), { at, value }])
    return { executionId: day + 1, startedAt: run.startedAt, outcomes, judged }
  })
}
const unmarked = { earlier: [], markOf: () => undefined, timeZone }
const ask = (policy: KindPolicy, runs: readonly PastRun[], given: Partial<Parameters<typeof whatIf>[2]> = {}) =>
  allSteps(whatIf(policy, runs, { ...unmarked, ...given }))
const firedOf = ({ runs }: ReturnType<typeof ask>) =>
  runs.flatMap(({ run, points }) => points.filter(({ fired }) => fired).map(({ metric }) => [run.executionId, metric]))

describe('given runs of an auto anomaly policy on a table in Auckland', () => {
  const runs = runsOf(policyOf('MEDIUM'), 60)

  it('when the definition stays, then each point has the verdict and the range of its run', () => {
    const same = ask(policyOf('MEDIUM'), runs)
    expect(same.runs.map(({ points }) => points)).toEqual(runs.map(({ judged }) => judged))
    expect(firedOf(same)).toEqual([
      [41, 'VOLUME'],
      [46, 'FRESHNESS'],
    ])
    expect(same.expectedFalseAlarmsPerMonth).toBeCloseTo(3 * 0.011 * (31 / 30), 3)
  })
  it('when the sensitivity changes, then the ranges and the expected false alarms change', () => {
    const rangeOf = ({ runs: all }: ReturnType<typeof ask>) => {
      const { lower = 0, upper = 0 } = all.at(-1)?.points.find(({ metric }) => metric === 'ROW_COUNT') ?? {}
      return (upper ?? 0) - (lower ?? 0)
    }
    const [low, high] = [ask(policyOf('LOW'), runs), ask(policyOf('HIGH'), runs)]
    expect(rangeOf(low)).toBeGreaterThan(rangeOf(high))
    expect(low.expectedFalseAlarmsPerMonth ?? 0).toBeLessThan(high.expectedFalseAlarmsPerMonth ?? 0)
  })
  it('when only the last runs are judged, then the values before them count', () => {
    const earlier = runs.slice(0, 50).map(({ executionId, startedAt, judged }) => ({
      ...{ executionId, at: Date.parse(startedAt) },
      points: Object.fromEntries(judged.flatMap(({ key, value }) => (key === null ? [] : [[key, value]]))),
    }))
    const last = runs.slice(50)
    expect(ask(policyOf('MEDIUM'), last, { earlier }).runs.map(({ points }) => points)).toEqual(
      last.map(({ judged }) => judged),
    )
  })
  it.each<[Feedback, boolean]>([
    ['ANOMALY', true],
    ['NORMAL', false],
    ['NEW_NORMAL', false],
  ])('when the first few bytes are marked as %s, then the same number fires later: %s', (mark, fires) => {
    const volume = runs[40]?.judged.find(({ metric }) => metric === 'VOLUME')
    const again = runs.map((run) => ({
      ...run,
      judged: run.judged.map((point) =>
        run.executionId === 44 && point.key === volume?.key ? { ...point, value: volume?.value ?? '' } : point,
      ),
    }))
    const markOf = (of: Origin, key: SeriesKey) =>
      'executionId' in of && of.executionId === 41 && key === volume?.key ? mark : undefined
    const fired = firedOf(ask(policyOf('MEDIUM'), again, { markOf }))
    expect(fired.some(([run, metric]) => run === 44 && metric === 'VOLUME')).toBe(fires)
  })
})

describe('given runs that judged days', () => {
  const policy = policyOf('MEDIUM')
  const endOf = (day: number) => start + day * dayMs
  const pointOf = (day: number, value: number) => ({
    ...{ itemId: 7, metric: 'ROW_COUNT', columnName: null, key: 'days', value: String(value), periodEnd: endOf(day) },
    ...{ lower: null, upper: null, fired: false },
  })
  const runAt = (executionId: number, at: number, judged: PastRun['judged']): PastRun => ({
    ...{ executionId, startedAt: new Date(at).toISOString(), outcomes: [], judged },
  })
  const earlier = Array.from({ length: 20 }, (_, day) => ({
    ...{ periodEnd: endOf(day), at: endOf(day), points: { days: String(1000 + (day % 3)) } },
  }))
  const hour = dayMs / 24
  const runs = [
    runAt(1, endOf(20) + hour, [pointOf(20, 1000)]),
    runAt(2, endOf(20) + 2 * hour, [pointOf(20, 500)]),
    runAt(3, endOf(22) + hour, [pointOf(22, 1001), pointOf(21, 1000)]),
    runAt(4, endOf(22) + 2 * hour, []),
  ]
  const judgedBy = ({ runs: all }: ReturnType<typeof ask>) =>
    all.map(({ run, points }) => [run.executionId, points.map(({ value, fired }) => [value, fired])])

  it('when several judged a day, then it counts once, as the latest judged it, and the days follow each other', () => {
    expect(judgedBy(ask(policy, runs, { earlier }))).toEqual([
      [2, [['500', true]]],
      [3, [['1000', false]]],
      [3, [['1001', false]]],
      [4, []],
    ])
  })
  it('when a day is marked as the new normal, then its feedback counts, and those before do not', () => {
    const markOf = (of: Origin) => ('periodEnd' in of && of.periodEnd === endOf(20) ? 'NEW_NORMAL' : undefined)
    const after = ask(policy, runs, { earlier, markOf })
    expect(after.runs.map(({ points }) => points.map(({ upper }) => upper === null))).toEqual([
      [false],
      [true],
      [true],
      [],
    ])
  })
})

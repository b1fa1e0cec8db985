import type { LastChange } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import type { Found, Histories, RunGiven } from '../kinds/judging.ts'
import type { RunKind } from '../kinds/run-kind.ts'
import { allSteps } from '../kinds/steps.ts'
import { dayMs, daysOf } from '../series/series-day.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import { cadence } from './cadence-kind.ts'
import type { ArrivalPolicy } from './definition.ts'
import { freshness } from './freshness-kind.ts'
import { findingsOf } from './records.ts'

const startedAt = '2026-11-20T10:00:00.000Z'
const now = Date.parse(startedAt)
const iso = (time: number) => new Date(time).toISOString()

const item = (id: number, measurementType: ArrivalPolicy['items'][number]['measurementType'], more: object = {}) => ({
  ...{ id, ruleId: 7, executionOrder: id, thresholdConfig: null, displayName: `item ${id}`, measurementType },
  ...{ columnName: null, value: null, ...more },
})
const open = (kind: RunKind, items: ArrivalPolicy['items'] = []) => {
  const definition: ArrivalPolicy = {
    ...{ policyId: 7, assetId: 11, timeoutMinutes: null, filter: null, timeZone: 'UTC', freshnessColumn: null },
    ...{ sensitivity: 'MEDIUM', items },
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    treatZeroRowsAsSuccess: false,
  }
  const { judge, ...opened } = kind.open({ definition, shown: { items: [] } })(3)
  return { ...opened, judge: (...given: Parameters<typeof judge>) => allSteps(judge(...given)) }
}
const references = {
  variables: {},
  udf: () => undefined,
  lookup: () => undefined,
  tables: () => [],
  views: () => [],
  carriesTag: () => undefined,
}
const runOf = (given: Partial<RunGiven> = {}): RunGiven => ({
  ...{ startedAt, executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns: [{ name: 'at', dataType: 'TIMESTAMP' }], references, mark: null }],
  ...given,
})
const change = (times: number[], more: Partial<LastChange> = {}): Found => {
  const at = times.at(-1)
  const known = at === undefined ? null : iso(at)
  const source = at === undefined ? null : 'FILE_TIME'
  const sizes = { files: times.length, bytes: 100, newestBytes: 10, messages: null, state: null, elapsedMs: 1 }
  return { kind: 'LAST_CHANGE', side: 'ONE', change: { at: known, source, times: times.map(iso), ...sizes, ...more } }
}
const measured = (value: string | null, rowsScanned = 5): Found => ({
  ...{ kind: 'MEASURE', side: 'ONE', problems: new Map(), rowsScanned },
  results: [{ id: 1, kind: 'value', value, scanned: rowsScanned }],
})
const none: Histories = new Map()
const noRequest = {
  ...{ executionType: undefined, includeInQualityScore: undefined, ruleItemSelections: undefined },
  ...{ markerConfigs: undefined, sparkResourceConfig: undefined },
}
const limit = { value: { maxAge: 'PT1H' } }
const hour = 3_600_000

describe('a freshness run', () => {
  const ofFile = open(freshness, [item(1, 'RAW_DATA_FRESHNESS', limit)])

  it.each([
    ['as old as the limit', now - hour, 'SUCCESSFUL', '3600', iso(now)],
    ['older by a millisecond', now - hour - 1, 'ERRORED', '3600.001', null],
    ['from the future', now + 1000, 'SUCCESSFUL', '0', iso(now + 1000 + hour)],
  ])('given data that is %s, then it says so', (_, at, verdict, value, deadlineAt) => {
    const { outcomes, deadline, judged } = ofFile.judge(runOf(), [change([at])], none)
    expect(outcomes).toMatchObject([{ verdict, value, error: null }])
    const [outcome] = outcomes
    expect(outcome && findingsOf(outcome)?.deadlineAt).toBe(deadlineAt)
    expect(deadline).toBe(deadlineAt === null ? undefined : iso(Date.parse(deadlineAt) + 1000))
    expect(outcome?.note !== undefined).toBe(at > now)
    expect(judged).toMatchObject([{ itemId: 1, lower: null, upper: 3600, fired: verdict === 'ERRORED' }])
  })

  it('given a time column, then its newest value counts, and not the time of the file', () => {
    const ofColumn = open(freshness, [item(1, 'DATA_FRESHNESS', { ...limit, columnName: 'at' })])
    expect(ofColumn.step(runOf(), []).map(({ kind }) => kind)).toEqual(['LAST_CHANGE', 'MEASURE'])
    const found = [change([now]), measured(iso(now - 2 * hour))]
    const { outcomes, verdict } = ofColumn.judge(runOf(), found, none)
    expect(outcomes[0] && findingsOf(outcomes[0])).toMatchObject({ source: 'TIME_COLUMN', columnName: 'at' })
    expect(verdict).toBe('ERRORED')
    const empty = ofColumn.judge(runOf(), [change([now]), measured(null)], none)
    expect(empty.outcomes).toMatchObject([{ verdict: 'ERRORED', error: "The column 'at' has no value." }])
  })

  it.each([
    ['the year 9999, which stands for no end', '9999-12-31T00:00:00.000Z', 'P1D'],
    ['a limit of thousands of years', iso(now), 'P8000Y'],
  ])('given %s, then there is no deadline, because its year would have five digits', (_, newest, maxAge) => {
    const ofColumn = open(freshness, [item(1, 'DATA_FRESHNESS', { value: { maxAge }, columnName: 'at' })])
    const { outcomes, verdict, deadline } = ofColumn.judge(runOf(), [change([now]), measured(newest)], none)
    expect([verdict, deadline]).toEqual(['SUCCESSFUL', undefined])
    expect(outcomes[0]?.note?.includes("until then. Correct the values of 'at'") === true).toBe(newest > iso(now))
    expect(outcomes[0] && findingsOf(outcomes[0])).toMatchObject({ columnName: 'at', deadlineAt: null })
  })

  it('given a column that the table no longer has, then the item says so', () => {
    const ofColumn = open(freshness, [item(1, 'DATA_FRESHNESS', { ...limit, columnName: 'day' })])
    const [, request] = ofColumn.step(runOf(), [])
    const problem = request?.kind === 'MEASURE' ? request.problems.get(1) : undefined
    expect(problem).toMatch(/^columnName: .*no column 'day'/)
  })

  it('given a source without times and no column, then the item asks for a column', () => {
    const { outcomes } = ofFile.judge(runOf(), [change([])], none)
    expect(outcomes).toMatchObject([{ verdict: 'ERRORED', error: expect.stringContaining('columnName') }])
  })

  it('given no limit and few arrivals, then it learns from run to run', () => {
    const usual = open(freshness)
    const first = usual.judge(runOf(), [change([now - dayMs])], none)
    expect(first.outcomes).toMatchObject([
      { verdict: 'SUCCESSFUL', detail: { state: 'LEARNING', learned: { points: 1, needed: 14 } } },
    ])
    expect(usual.summary?.(first.outcomes)).toBe(
      `The newest data is from ${iso(now - dayMs).replace('.000', '')}. Usual values are not known yet for 1 item, after 1 of 14 values.`,
    )
    const second = usual.judge(runOf({ learned: first.learned }), [change([now - hour])], none)
    expect(second.outcomes).toMatchObject([{ detail: { learned: { points: 2, needed: 14 } } }])
    expect(usual.judge(runOf({ learned: second.learned }), [change([now - hour])], none)).not.toHaveProperty('learned')
    const moved = runOf({ learned: { ...second.learned, assetId: 12 } })
    expect(usual.judge(moved, [change([now - hour])], none).outcomes).toMatchObject([
      { detail: { learned: { points: 1 } } },
    ])
  })

  it('given a computer whose clock was a day ahead and was set back, then arrivals of that day are forgotten', () => {
    const ofColumn = open(freshness, [item(1, 'DATA_FRESHNESS', { columnName: 'at' })])
    const silent = change([])
    const runAt = (at: number, newest: number, learned: RunGiven['learned']) =>
      ofColumn.judge(runOf({ startedAt: iso(at), learned }), [silent, measured(iso(newest))], none)
    const first = runAt(now, now - 2 * hour, undefined)
    const ahead = runAt(now + dayMs, now - hour, first.learned)
    expect(ahead.outcomes).toMatchObject([{ detail: { learned: { points: 2 } } }])
    const back = runAt(now + hour, now, ahead.learned)
    expect(back.outcomes).toMatchObject([{ value: '3600', detail: { learned: { points: 2 } } }])
    expect(back.learned).toMatchObject({ columns: { at: { times: [iso(now), iso(now + hour)] } } })
  })

  it('given newer values in a column, then they arrived with the file', () => {
    const ofColumn = open(freshness, [item(1, 'DATA_FRESHNESS', { columnName: 'at' })])
    const days = Array.from({ length: 20 }, (_, index) => now - (20 - index) * dayMs)
    let learned: RunGiven['learned']
    for (const day of days) {
      const given = runOf({ startedAt: iso(day + hour), learned })
      learned = ofColumn.judge(given, [change([day]), measured(iso(day - 10 * hour))], none).learned ?? learned
    }
    // The file was written again, but without newer values.
    const late = ofColumn.judge(
      runOf({ startedAt: iso(now + 12 * hour), learned }),
      [change([now]), measured(iso((days.at(-1) ?? 0) - 10 * hour))],
      none,
    )
    expect(late.outcomes).toMatchObject([
      {
        verdict: 'ERRORED',
        note: expect.stringMatching(
          /^Expected 2026-11-20T10:00:00.000Z. Data usually arrives daily about 10:00 UTC\.$/,
        ),
      },
    ])
  })
})

describe('a cadence run', () => {
  it('given no items, then it watches everything that the source offers, by items with stable ids', () => {
    const inferred = open(cadence)
    const files = inferred.judge(runOf(), [change([now - hour]), measured(null)], none)
    expect(files.outcomes.map(({ itemId, value }) => [itemId, value])).toEqual([
      [71, '5'],
      [72, '100'],
      [73, '1'],
      [74, '3600'],
    ])
    const nothing = { files: null, bytes: null, newestBytes: null, messages: null }
    const table = inferred.judge(runOf(), [change([], nothing), measured(null)], none)
    expect(table.outcomes.map(({ itemId }) => itemId)).toEqual([71])
  })

  it('given a change, then it is the difference to the run before', () => {
    const thresholdConfig = thresholdRecordOf({
      type: 'ABSOLUTE',
      config: { direction: 'ABOVE', success: 1, warning: undefined },
    })
    const drift = open(cadence, [
      item(1, 'RECORD_COUNT_DRIFT', { thresholdConfig }),
      item(2, 'CHANGE_IN_FILE_SIZE', { thresholdConfig }),
    ])
    const first = drift.judge(runOf(), [change([now]), measured(null, 5)], none)
    expect(first.outcomes).toMatchObject([
      { verdict: 'SUCCESSFUL', value: null },
      { verdict: 'SUCCESSFUL', value: null },
    ])
    const second = drift.judge(
      runOf({ learned: first.learned }),
      [change([now], { bytes: 90 }), measured(null, 7)],
      none,
    )
    expect(second.outcomes).toMatchObject([
      { verdict: 'SUCCESSFUL', value: '2' },
      { verdict: 'ERRORED', value: '-10' },
    ])
  })

  it('given no threshold, then the detector judges the number by earlier runs', () => {
    const total = open(cadence, [item(1, 'RECORD_COUNT_TOTAL')])
    const [lookBack] = total.lookBacks(runOf())
    expect(lookBack?.threshold).toMatchObject({ type: 'ANOMALY', config: { successSensitivityLevel: 'MEDIUM' } })
    const points = Array.from({ length: 30 }, (_, ago) => ({
      at: now - (ago + 1) * dayMs,
      value: String(1000 + (ago % 5)),
    }))
    const days = daysOf(points)
    const past = new Map(lookBack === undefined ? [] : [[lookBack.key, { now, days }]])
    const verdictOf = (rows: number, histories: Histories) =>
      total
        .judge(runOf(), [change([now]), measured(null, rows)], histories)
        .outcomes.map(({ verdict, detail }) => [verdict, detail?.state, detail?.expectedFalseAlarmsPerMonth])
    expect(verdictOf(1002, past)).toEqual([['SUCCESSFUL', undefined, 0.0114]])
    expect(verdictOf(500, past)).toEqual([['ERRORED', undefined, 0.0114]])
    expect(verdictOf(500, none)).toEqual([['SUCCESSFUL', 'LEARNING', 0]])
  })

  it('given runs over parts of the table, then each is compared only with runs of the same scope', () => {
    const drift = open(cadence, [item(1, 'RECORD_COUNT_DRIFT')])
    const runsOf = (given: Partial<RunGiven>, rows: number) =>
      drift.judge(runOf(given), [change([now]), measured(null, rows)], none)
    const full = runsOf({}, 100)
    const marked = { executionType: 'INCREMENTAL' as const, markKey: 'by id' }
    const first = runsOf({ ...marked, learned: full.learned }, 5)
    expect(first.outcomes).toMatchObject([{ value: null, detail: { state: 'LEARNING' } }])
    const part = runsOf({ executionType: 'SELECTIVE', learned: first.learned }, 1)
    expect(part).toMatchObject({ outcomes: [{ value: null }] })
    expect(part).not.toHaveProperty('learned')
    const second = runsOf({ ...marked, learned: first.learned }, 8)
    const again = runsOf({ learned: second.learned }, 101)
    expect([second, again].map(({ outcomes }) => outcomes[0]?.value)).toEqual(['3', '1'])
    const [judged, later] = [second.judged?.[0]?.key, again.judged?.[0]?.key]
    expect([part.judged, judged === undefined, judged === later]).toEqual([[], false, false])
    const keys = [{}, marked, { executionType: 'SELECTIVE' as const }].map((given) => drift.lookBacks(runOf(given)))
    expect(keys.map((of) => of.map(({ key }) => key))).toEqual([[later], [judged], []])
  })

  it('given the type of a run, then INCREMENTAL needs a marker, and an item must be known', () => {
    const refusalOf = (request: object) =>
      open(cadence, [item(1, 'RECORD_COUNT_TOTAL')]).refusal({ ...noRequest, ...request })?.code
    expect(refusalOf({ executionType: 'SELECTIVE' })).toBeUndefined()
    expect(refusalOf({ executionType: 'INCREMENTAL' })).toBe('unprocessable')
    expect(refusalOf({ ruleItemSelections: [2] })).toBe('invalid')
  })

  it('given only sizes of files, then no row is read', () => {
    expect(
      open(cadence, [item(1, 'DATA_VOLUME_TOTAL')])
        .step(runOf(), [])
        .map(({ kind }) => kind),
    ).toEqual(['LAST_CHANGE'])
  })
})

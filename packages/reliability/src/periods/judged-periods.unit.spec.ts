import { describe, expect, it } from 'vitest'
import type { FoundPeriods, Histories, RunGiven } from '../kinds/judging.ts'
import type { History } from '../series/look-back.ts'
import { daysOf } from '../series/series-day.ts'
import { judgedPeriods } from './judged-periods.ts'
import { boundTexts, periodKey, runPeriods } from './run-periods.ts'

const dayMs = 86_400_000
const today = Date.UTC(2026, 10, 20)
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const runOf = (changes: Partial<RunGiven> = {}, dataType = 'TIMESTAMP'): RunGiven => ({
  ...{ startedAt: '2026-11-20T10:00:00.000Z', executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns: [{ name: 'made', dataType }], references, mark: null }],
  ...changes,
})
const definition = {
  ...{ columnName: null, granularity: 'DAY' as const, from: new Date(today - 10 * dayMs).toISOString() },
  ...{ timeZone: 'UTC', freshnessColumn: 'made', marker: null },
}
const key = 'rows'
/** Ten days; the last number is that of yesterday. */
function judge(
  rows: readonly number[],
  run: RunGiven,
  past: Histories = new Map(),
  values: () => Map<string, (string | null)[]> = () => new Map([[key, rows.map(String)]]),
) {
  const periods = runPeriods(definition, run, 1)
  if (periods === undefined) throw new Error('There are periods.')
  const found: FoundPeriods = {
    kind: 'PERIODS',
    side: 'ONE',
    periods: rows.map((count) => ({ rows: count, metrics: [] })),
  }
  return judgedPeriods(periods, { run, found: [found], past, keys: [key, 'other'] }, values)
}
const valuesOf = (judged: ReturnType<typeof judge>, ofKey = key) => [...(judged?.valuesOf(ofKey) ?? [])]
/** The history of a series with the value 5 at the end of these days. */
const pastOf = (daysAgo: readonly number[]): Histories => {
  const points = daysAgo.map((ago) => ({ at: endOf(ago), value: '5' }))
  return new Map([[key, { now: today, days: daysOf(points) }]])
}
const endOf = (daysAgo: number) => today - daysAgo * dayMs
const ten = [5, 5, 5, 5, 5, 5, 5, 5, 5, 6]

describe('the periods of a run', () => {
  it('given no earlier run, then only the newest is judged, by all others, and all are new', () => {
    const judged = judge(ten, runOf())
    const [newest, ...others] = valuesOf(judged)
    expect([newest?.end, newest?.value, newest?.isNewest, others]).toEqual([today, '6', true, []])
    expect(newest?.history.days.map(({ points }) => points?.[0]?.at)).toEqual(
      Array.from({ length: 9 }, (_, index) => endOf(index + 1)),
    )
    expect(judged?.points.ends).toHaveLength(10)
    expect(judged?.shownFor([key])).toMatchObject({
      source: 'FRESHNESS_COLUMN',
      points: 10,
      to: '2026-11-20T00:00:00.000Z',
    })
  })

  it('given days before the first rows, then they do not count, the first day with rows does, and without any rows nothing is judged', () => {
    expect(judge([0, 0, 0, 5, 5, 5, 5, 0, 5, 6], runOf())?.points.ends).toHaveLength(7)
    const learned = { periods: withoutFirst(judge(ten, runOf())?.learned, 5) }
    const late = judge([0, 0, ...ten.slice(2)], runOf({ learned }), pastOf([4, 3, 2, 1]))
    expect(late?.points.ends).toEqual([7, 6, 5].map(endOf))
    expect(
      judge(
        Array.from({ length: 10 }, () => 0),
        runOf(),
      ),
    ).toBeUndefined()
  })

  it('given an earlier run, then every day since is judged, a changed day is replaced, and unchanged ones stay', () => {
    const before = judge(
      [...ten.slice(2), 7, 8].map((rows, index) => (index > 7 ? rows : 5)),
      runOf(),
    )
    const learned = before?.learned
    // Three days of which the earlier run knew nothing.
    const known = { ...learned, periods: withoutLast(learned, 3) }
    const points = Array.from({ length: 7 }, (_, index) => ({ at: endOf(index + 3), value: '5' }))
    const past = new Map([[key, { now: today, days: daysOf(points) }]])
    const judged = judge([5, 9, 5, 5, 5, 5, 5, 6, 7, 8], runOf({ learned: known }), past)
    expect(valuesOf(judged).map(({ end, isNewest }) => [end, isNewest])).toEqual([
      [endOf(2), false],
      [endOf(1), false],
      [endOf(0), true],
    ])
    expect(judged?.points).toEqual({
      ends: [endOf(8), endOf(2), endOf(1), endOf(0)],
      points: { [key]: ['9', '6', '7', '8'] },
    })
    const newest = valuesOf(judged)
      .at(-1)
      ?.history.days.map(({ summary }) => summary.sum)
    expect(newest).toEqual(['7', '6', '5', '5', '5', '5', '5', '9', '5'])
    const again = judge([5, 9, 5, 5, 5, 5, 5, 6, 7, 8], runOf({ learned: judged?.learned }), past)
    expect([again?.points.ends, valuesOf(again).map(({ end }) => end)]).toEqual([[], [today]])
  })

  it('given a point that feedback excluded, then it is not added again', () => {
    const learned = judge(ten, runOf())?.learned
    const points = [3, 4, 5].map((daysAgo) => ({ at: endOf(daysAgo), value: '5' }))
    const past = new Map([[key, { now: today, days: daysOf(points) }]])
    const judged = judge([5, 5, 5, 5, 5, 5, 5, 5, 50, 6], runOf({ learned }), past)
    expect(valuesOf(judged)[0]?.history.days).toHaveLength(3)
    expect(judged?.points.ends).toEqual([endOf(1)])
  })

  it('given feedback that the newest period is normal, when it is judged again, then feedback counts until the value changes', () => {
    const learned = judge(ten, runOf())?.learned
    const points = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((daysAgo) => ({ at: endOf(daysAgo), value: '5' }))
    const confirmed = { at: today, value: '6', isConfirmed: true as const }
    const past = new Map([[key, { now: today + 1, days: daysOf([...points, confirmed]) }]])
    const newest = (rows: readonly number[]) => valuesOf(judge(rows, runOf({ learned }), past)).at(-1)?.history
    expect(newest(ten)).toMatchObject({ isNowConfirmed: true })
    expect(newest(ten)?.days).toHaveLength(9)
    expect(newest([...ten.slice(0, -1), 7])?.isNowConfirmed).toBeUndefined()
  })

  it('given another set of series, then periods since the last run are judged, feedback counts, and a new series learns', () => {
    const learned = { periods: withoutLast(judge(ten, runOf())?.learned, 2) }
    const values = () =>
      new Map([
        [key, ten.map(String)],
        ['added', ten.map(() => '3')],
      ])
    // Feedback took out the point of four days ago.
    const judged = judge(ten, runOf({ learned }), pastOf([9, 8, 7, 6, 5, 3, 2]), values)
    const [earlier, newest] = valuesOf(judged)
    expect([earlier?.end, newest?.end]).toEqual([endOf(1), today])
    expect(earlier?.history.days.map(({ points }) => points?.[0]?.at)).toEqual(
      [9, 8, 7, 6, 5, 3, 2].map(endOf).sort((a, b) => b - a),
    )
    expect(valuesOf(judged, 'added').at(-1)?.history.days.length).toBeGreaterThanOrEqual(8)
  })

  it('given a first day that retention cuts in the middle, then its recorded value stays, and counts', () => {
    const { learned } = judge([0, ...ten.slice(1)], runOf()) ?? {}
    const before = judge(ten, runOf())
    const judged = judge([2, ...ten.slice(1)], runOf({ learned: before?.learned }), pastOf([9, 8, 7, 6, 5, 4, 3, 2, 1]))
    expect(judged?.points.ends).toEqual([])
    expect(valuesOf(judged)[0]?.history.days.at(-1)?.summary.sum).toBe('5')
    const again = judge(ten, runOf({ learned: judged?.learned }), pastOf([9]))
    expect(again?.points.ends).toEqual([])
    expect(learned).toMatchObject({ periods: { ends: Array.from({ length: 9 }, (_, index) => endOf(8 - index)) } })
  })

  it('given a table with only the newest day, then that day is recorded', () => {
    const judged = judge([0, 0, 0, 0, 0, 0, 0, 0, 0, 6], runOf())
    expect(judged?.points).toEqual({ ends: [today], points: { [key]: ['6'] } })
  })

  it('given days without rows after the last run, then they count although older rows are gone', () => {
    const learned = { periods: withoutLast(judge(ten, runOf())?.learned, 3) }
    const judged = judge([0, 0, 0, 0, 0, 0, 0, 0, 0, 6], runOf({ learned }), pastOf([5, 4, 3]))
    expect(judged?.points).toEqual({ ends: [endOf(2), endOf(1), today], points: { [key]: ['0', '0', '6'] } })
    expect(valuesOf(judged).map(({ value }) => value)).toEqual(['0', '0', '6'])
  })

  it('given several periods to judge, then each has the earlier ones only, and they share the summaries of earlier days', () => {
    const judged = judge(ten, runOf({ learned: { periods: { of: '', ends: [endOf(9)], hashes: [] } } }), pastOf([9]))
    const [first, second] = judged?.valuesOf(key) ?? []
    expect([first?.end, first?.history.days.length]).toEqual([endOf(8), 1])
    expect(second?.history.days.length).toBe(2)
    expect(second?.history.days.at(-1)).toBe(first?.history.days.at(-1))
  })

  it('given a run of some items, then nothing is recorded', () => {
    const judged = judge(ten, runOf({ itemSelection: [1] }))
    expect([judged?.points.ends, judged?.learned, valuesOf(judged)]).toMatchObject([[], {}, [{ value: '6' }]])
  })

  it('given a series that could not be measured, then it has no values, and without any the record stays', () => {
    const learned = judge(ten, runOf())?.learned
    const others = judge(ten, runOf({ learned }), new Map(), () => new Map([['other', ten.map(String)]]))
    expect(Object.keys(others?.points.points ?? {})).toEqual(['other'])
    const none = judge(ten, runOf({ learned }), new Map(), () => new Map())
    expect([none?.points.ends, none?.learned]).toEqual([[], learned])
  })

  it('given a series that runs could not measure, then the run that measures it judges all periods since', () => {
    const both = (rows: readonly number[]) => () =>
      new Map([
        [key, rows.map(String)],
        ['other', rows.map(String)],
      ])
    /** Two runs that cannot measure the other series, two days and one day before this one. */
    const learned = { periods: withoutLast(judge(ten, runOf(), new Map(), both(ten))?.learned, 3) }
    const runOn = (ago: number, before: object | undefined) =>
      runOf({ startedAt: new Date(endOf(ago) + 1).toISOString(), ...(before && { learned: before }) })
    const first = judge(ten.slice(0, -2), runOn(2, learned), pastOf([9, 8, 7, 6, 5, 4, 3]))?.learned
    const second = judge(ten.slice(0, -1), runOn(1, first), pastOf([9, 8, 7, 6, 5, 4, 3, 2]))?.learned
    const past = new Map([
      ...pastOf([9, 8, 7, 6, 5, 4, 3, 2, 1]),
      ['other', pastOf([9, 8, 7, 6, 5, 4, 3]).get(key) ?? none],
    ])
    const judged = judge(ten, runOf({ learned: second }), past, both(ten))
    expect(valuesOf(judged).map(({ end }) => end)).toEqual([today])
    expect(valuesOf(judged, 'other').map(({ end, isNewest }) => [end, isNewest])).toEqual([
      [endOf(2), false],
      [endOf(1), false],
      [today, true],
    ])
    expect(valuesOf(judged, 'other').at(-1)?.history.days).toHaveLength(9)
    const again = judge(ten, runOf({ learned: judged?.learned }), past, both(ten))
    expect(valuesOf(again, 'other').map(({ end }) => end)).toEqual([today])
  })

  it('given rows before the hours that a run measures, then the first run says so, unless the policy asks for no more', () => {
    const leftOut = (from: string | null, learned?: object, hasOlder = true) => {
      const run = runOf(learned && { learned })
      const periods = runPeriods({ ...definition, granularity: 'HOUR', from }, run, 1)
      const measured = Array.from({ length: (periods?.bounds.length ?? 0) - 1 }, () => ({ rows: 5, metrics: [] }))
      // The oldest hours may have no rows although the table has older ones.
      if (hasOlder) measured.splice(0, 2, { rows: 0, metrics: [] }, { rows: 0, metrics: [] })
      const found: FoundPeriods = { kind: 'PERIODS', side: 'ONE', periods: measured, hasOlder }
      const values = () => new Map([[key, measured.map(() => '5')]])
      return periods && judgedPeriods(periods, { run, found: [found], past: new Map(), keys: [key] }, values)
    }
    expect(leftOut(null)?.leftOut).toBe('A run measures at most 672 hours: older ones are not measured by period.')
    expect(leftOut(null, leftOut(null)?.learned)?.leftOut).toBeUndefined()
    expect(leftOut(null, undefined, false)?.leftOut).toBeUndefined()
    expect(leftOut('2026-11-10')?.leftOut).toBeUndefined()
    expect(judge(ten, runOf())?.leftOut).toBeUndefined()
  })

  it('given a zone, then dates are compared as they are written, and times in UTC', () => {
    const inBerlin = { ...definition, timeZone: 'America/New_York', from: '2026-11-18T12:00:00Z' }
    const times = runPeriods(inBerlin, runOf(), 1)
    const dates = runPeriods(inBerlin, runOf({}, 'DATE'), 1)
    expect([times && boundTexts(times), dates && boundTexts(dates)]).toEqual([
      ['2026-11-19T05:00:00', '2026-11-20T05:00:00'],
      ['2026-11-19T00:00:00', '2026-11-20T00:00:00'],
    ])
  })

  it('given a selected part of the data, or no time, then there are none; another zone is another series', () => {
    expect(runPeriods(definition, runOf({ executionType: 'SELECTIVE' }), 1)).toBeUndefined()
    expect(runPeriods(definition, runOf({}, 'BIGINT'), 1)).toBeUndefined()
    const of = { filter: null, side: { assetId: 11 } }
    const keys = ['UTC', 'Asia/Tokyo'].map((timeZone) => {
      const periods = runPeriods({ ...definition, timeZone }, runOf(), 1)
      return periods && periodKey(null, { profile: 'ROW_COUNT' }, periods, of)
    })
    expect(new Set(keys).size).toBe(2)
  })
})

const none: History = { now: today, days: [] }

function withoutLast(learned: object | undefined, count: number) {
  const { periods } = { periods: { of: '', ends: [0], hashes: [''] }, ...learned }
  return { ...periods, ends: periods.ends.slice(0, -count), hashes: periods.hashes.slice(0, -count) }
}

function withoutFirst(learned: object | undefined, count: number) {
  const { periods } = { periods: { of: '', ends: [0], hashes: [''] }, ...learned }
  return { ...periods, ends: periods.ends.slice(count), hashes: periods.hashes.slice(count) }
}

import { type Threshold, threshold } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactOf } from './exact.ts'
import { judgeByHistory } from './history.ts'
import { figureOf } from './series/figure.ts'
import { daysOf } from './series/series-day.ts'
import type { Comparing } from './threshold.ts'

const day = 86_400_000
const now = Date.parse('2026-11-20T10:00:00Z')
/** Values of runs a day apart, the newest last. */
const daily = (...values: number[]) =>
  values.map((value, index) => ({ value: figureOf(exactOf(value)), at: now - (values.length - index) * day }))

function comparing(given: unknown): Comparing {
  const parsed: Threshold = threshold.parse(given)
  if (parsed.type === 'ABSOLUTE') throw new Error('compares with nothing')
  return parsed
}
function judged(value: number, given: unknown, past = daily()) {
  const history = { now, days: daysOf(past) }
  const { range, ...found } = judgeByHistory(exactOf(value), comparing(given), history, 'NUMBER')
  if (range.lower !== null || range.upper !== null)
    expect(value >= (range.lower ?? value) && value <= (range.upper ?? value)).toBe(found.verdict === 'SUCCESSFUL')
  return found
}

const relative = (config: object, window = 3, windowType = 'RUNS') => ({
  type: 'RELATIVE',
  config: { direction: 'CHANGES_BY', operator: 'LTE', unit: 'PERCENTAGE', success: 10, warning: 20, ...config },
  operationalConfig: { lookBack: { window, windowType } },
})

describe('RELATIVE', () => {
  it.each([
    [110, {}, 'SUCCESSFUL'],
    [90, {}, 'SUCCESSFUL'],
    [111, {}, 'WARNING'],
    [121, {}, 'ERRORED'],
    [50, { direction: 'INCREASED_BY' }, 'SUCCESSFUL'],
    [150, { direction: 'DECREASED_BY' }, 'SUCCESSFUL'],
    [70, { direction: 'DECREASED_BY' }, 'ERRORED'],
    [70, { isDirectional: true }, 'SUCCESSFUL'],
    [109, { unit: 'ABSOLUTE' }, 'SUCCESSFUL'],
    [115, { unit: 'ABSOLUTE' }, 'WARNING'],
    [105, { operator: 'GT', warning: 4 }, 'WARNING'],
    [100, { operator: 'EQ', success: 0 }, 'SUCCESSFUL'],
    [110, { operator: 'LEGACY' }, 'SUCCESSFUL'],
  ])('given a mean of 100, when %d is measured with %j, then it is %s', (value, config, verdict) => {
    expect(judged(value, relative(config), daily(5000, 90, 100, 110))).toEqual({ verdict })
  })
  it('given a mean of zero, then any change in percent is too large, and no change passes', () => {
    expect(judged(1, relative({}), daily(0, 0))).toEqual({ verdict: 'ERRORED' })
    expect(judged(0, relative({}), daily(0, 0))).toEqual({ verdict: 'SUCCESSFUL' })
  })
  it('given a window of days, then older runs do not count', () => {
    expect(judged(100, relative({}, 2, 'DAYS'), daily(5000, 100, 100))).toEqual({ verdict: 'SUCCESSFUL' })
    expect(judged(100, relative({}, 1, 'HOURS'), daily(100))).toEqual({
      verdict: 'SUCCESSFUL',
      note: expect.stringContaining('no earlier run'),
    })
  })
})

describe('TIME_BASED', () => {
  const stale = {
    type: 'TIME_BASED',
    config: { lookBackWindowType: 'DAYS', successLookBackWindow: 2, warningLookBackWindow: 4 },
  }
  it.each([
    [[1, 1, 1, 1, 2], 'SUCCESSFUL'],
    [[1, 2, 3, 3, 3], 'WARNING'],
    [[3, 3, 3, 3, 3, 3], 'ERRORED'],
  ])('given %j on the days before, when 3 is measured, then it is %s', (values, verdict) => {
    expect(judged(3, stale, daily(...values))).toEqual({ verdict })
  })
  it('given runs that do not reach back far enough, then it gives a note', () => {
    expect(judged(3, stale, daily(3))).toEqual({
      verdict: 'SUCCESSFUL',
      note: expect.stringContaining('look-back'),
    })
  })
})

describe('ANOMALY', () => {
  const anomaly = { type: 'ANOMALY', config: { successSensitivityLevel: 'LOW', warningSensitivityLevel: 'HIGH' } }
  const usual = [100, 103, 98, 101, 99, 102, 97, 100].map((value) => value * 1000)
  it.each([
    [104_000, 'SUCCESSFUL'],
    [116_000, 'WARNING'],
    [200_000, 'ERRORED'],
    [50_000, 'ERRORED'],
  ])('given values about 100,000, when %d is measured, then it is %s', (value, verdict) => {
    expect(judged(value, anomaly, daily(...usual))).toMatchObject({ verdict })
  })
  it.each([
    ['INCREASED_BY', 200_000, 'ERRORED', /^Usual: 100\d{3} \(up to 1\d+\)\.$/],
    ['INCREASED_BY', 50_000, 'SUCCESSFUL', undefined],
    ['DECREASED_BY', 50_000, 'ERRORED', /^Usual: 100\d{3} \(at least \d+\)\.$/],
    ['DECREASED_BY', 200_000, 'SUCCESSFUL', undefined],
    ['CHANGES_BY', 50_000, 'ERRORED', /to 1/],
    ['CHANGES_BY', 200_000, 'ERRORED', /to 1/],
  ])('given the direction %s, when %d is measured, then it is %s', (direction, value, verdict, note) => {
    const given = comparing({ ...anomaly, config: { ...anomaly.config, direction } })
    const found = judgeByHistory(exactOf(value), given, { now, days: daysOf(daily(...usual)) }, 'NUMBER')
    expect(found).toMatchObject({ verdict, ...(note === undefined ? {} : { note: expect.stringMatching(note) }) })
    expect([found.range.lower === null, found.range.upper === null]).toEqual([
      direction === 'INCREASED_BY',
      direction === 'DECREASED_BY',
    ])
  })
  it('given a warning sensitivity below that of success, then a value that fires is never a mere warning', () => {
    const config = { successSensitivityLevel: 'HIGH', warningSensitivityLevel: 'LOW' }
    expect(judged(116_000, { type: 'ANOMALY', config }, daily(...usual))).toMatchObject({ verdict: 'ERRORED' })
  })
  it('given an outlier in the past, then the next outlier is still found', () => {
    expect(judged(200_000, anomaly, daily(...usual, 100_000_000))).toMatchObject({ verdict: 'ERRORED' })
  })
  it('given weekends that differ, then a weekend is compared with weekends, and the note says so', () => {
    const saturday = Date.parse('2026-11-21T10:00:00Z')
    const past = Array.from({ length: 70 }, (_, index) => {
      const at = saturday - (index + 1) * day
      const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
      return { value: String((isWeekend ? 400 : 1000) + (index % 5)), at }
    })
    const given = comparing(anomaly)
    const history = { now: saturday, days: daysOf(past) }
    expect(judgeByHistory(exactOf(401), given, history, 'NUMBER')).toMatchObject({ verdict: 'SUCCESSFUL' })
    expect(judgeByHistory(exactOf(1000), given, history, 'NUMBER')).toMatchObject({
      verdict: 'ERRORED',
      note: expect.stringMatching(/^Usual on this day of the week: 40\d/),
    })
  })
  it('given runs after midnight in Berlin and a change of its clocks, then weekdays are those of Berlin', () => {
    // 01:30 on each day: 23:30 UTC the day before in summer, until 25 October, and 00:30 UTC in winter.
    const start = Date.parse('2026-08-30T23:30:00Z')
    const nights = Array.from({ length: 76 }, (_, index) => start + index * day + (index < 56 ? 0 : day / 24))
    const berlinDay = (at: number) => new Date(at + 2 * 3_600_000).getUTCDay()
    const past = nights.map((at, index) => ({ at, value: String((berlinDay(at) === 0 ? 400 : 1000) + (index % 5)) }))
    const sunday = Date.parse('2026-11-15T00:30:00Z')
    const history = { now: sunday, days: daysOf(past), timeZone: 'Europe/Berlin' }
    expect(judgeByHistory(exactOf(401), comparing(anomaly), history, 'NUMBER').verdict).toBe('SUCCESSFUL')
    expect(judgeByHistory(exactOf(1000), comparing(anomaly), history, 'NUMBER')).toMatchObject({
      verdict: 'ERRORED',
      note: expect.stringMatching(/^Usual on this day of the week: 40\d/),
    })
  })
  it('given fewer than seven runs, then it gives a note', () => {
    expect(judged(1e9, anomaly, daily(1, 2, 3, 4, 5, 6))).toEqual({
      verdict: 'SUCCESSFUL',
      note: expect.stringContaining('7 runs'),
    })
  })
  it('given a percentage, then a tenth of a point below 100 is not unusual, and two points are', () => {
    const past = { now, days: daysOf(daily(...Array.from({ length: 60 }, () => 100))) }
    expect(judgeByHistory(exactOf(99.9), comparing(anomaly), past, 'PERCENTAGE').verdict).toBe('SUCCESSFUL')
    expect(judgeByHistory(exactOf(98), comparing(anomaly), past, 'PERCENTAGE')).toMatchObject({ verdict: 'ERRORED' })
  })
})

describe('for all histories', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 8, maxLength: 30 })
  const rank = { SUCCESSFUL: 0, WARNING: 1, ERRORED: 2 }
  const rankOf = (value: number, given: unknown, past: number[]) => {
    return rank[judged(value, given, daily(...past)).verdict]
  }

  it('an unchanged value is never an anomaly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 7, max: 30 }), (value, count) => {
        const past = Array.from({ length: count }, () => value)
        expect(rankOf(value, { type: 'ANOMALY', config: { successSensitivityLevel: 'HIGH' } }, past)).toBe(0)
      }),
    )
  })
  it('a higher sensitivity never gives a better verdict', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: -2000, max: 2000 }), (past, value) => {
        const of = (level: string) =>
          rankOf(value, { type: 'ANOMALY', config: { successSensitivityLevel: level } }, past)
        expect(of('HIGH')).toBeGreaterThanOrEqual(of('MEDIUM'))
        expect(of('MEDIUM')).toBeGreaterThanOrEqual(of('LOW'))
      }),
      // Positive values that spread so far that at LOW no small value fires, not even a negative one.
      { examples: [[[1, 1, 1, 1, 1, 1, 6, 6], -1]] },
    )
  })
  it('a larger change never gives a better verdict', () => {
    fc.assert(
      fc.property(values, fc.nat(1000), fc.nat(1000), (past, one, other) => {
        const mean = past.slice(-3).reduce((sum, value) => sum + value, 0) / 3
        const [near, far] = [Math.min(one, other), Math.max(one, other)]
        const given = relative({ unit: 'ABSOLUTE' })
        expect(rankOf(Math.ceil(mean) + far, given, past)).toBeGreaterThanOrEqual(
          rankOf(Math.ceil(mean) + near, given, past),
        )
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detect, type Reading } from './detect.ts'
import { limits, type Sensitivity } from './sensitivity.ts'

const hour = 3_600_000
const day = 24 * hour
/** A Monday. */
const start = Date.parse('2026-01-05T06:00:00Z')
const series = (values: readonly number[], step = day): Reading[] =>
  values.map((value, index) => ({ at: start + index * step, value }))
/** The detection for the last of the values. */
function scored(values: readonly number[], { step = day, figure = 'NUMBER' as 'NUMBER' | 'PERCENTAGE' } = {}) {
  const readings = series(values, step)
  const tested = readings.pop()
  const detection = tested && detect(readings, tested, figure)
  if (detection === undefined) throw new Error('There is too little history.')
  return detection
}
/** Values around one with a period of 13. */
const wobble = (index: number) => 1 + ((index * 5) % 13) / 200
const days = (count: number, valueOn: (index: number) => number) =>
  Array.from({ length: count }, (_, at) => valueOn(at))

describe('given a series, when its next value is judged', () => {
  it('then the value does not affect its own prediction', () => {
    const past = days(40, (index) => 1000.5 * wobble(index))
    expect(scored([...past, 5e9]).expected).toBe(scored([...past, 1000.5]).expected)
  })
  it('then half is as far as double', () => {
    const past = days(40, (index) => 1000.5 * wobble(index))
    const { expected } = scored([...past, 1000])
    expect(scored([...past, expected * 2]).score).toBeCloseTo(-scored([...past, expected / 2]).score, 6)
  })
  it('then zero among positive values is far, and values of any sign are compared by differences', () => {
    expect(scored([...days(40, (index) => 20.5 * wobble(index)), 0]).score).toBeLessThan(-limits.LOW)
    const past = days(40, (index) => (index % 5) - 2)
    expect(scored([...past, 2]).score).toBeLessThan(limits.HIGH)
    expect(scored([...past, 40]).score).toBeGreaterThan(limits.LOW)
  })
})

describe('given amounts that are mostly zero', () => {
  const rain = (index: number) => (index % 8 === 0 ? 2.5 + (index % 5) * 1.5 : 0)
  it('then an amount like the others does not fire, and a much larger one does', () => {
    expect(scored([...days(60, rain), 12.5]).score).toBeLessThan(limits.MEDIUM)
    expect(scored([...days(60, rain), 200.5]).score).toBeGreaterThan(limits.MEDIUM)
  })
  it('then after zeros only, any amount fires', () => {
    expect(scored([...days(60, () => 0), 0.5]).score).toBeGreaterThan(limits.LOW)
  })
})

describe('given seasons', () => {
  const weekly = (index: number) => 1000.5 * wobble(index) * (index % 7 >= 5 ? 0.4 : 1)
  const hourly = (index: number) => 1000.5 * wobble(index) * (index % 24 < 6 ? 0.2 : 1)
  it.each([
    ['none in a flat series', days(90, (index) => 1000.5 * wobble(index)), day, 'NONE'],
    ['days of the week', days(90, weekly), day, 'DAY_OF_WEEK'],
    ['none before three weeks', days(20, weekly), day, 'NONE'],
    ['hours', days(24 * 10, hourly), hour, 'HOUR_OF_DAY'],
    [
      'hours of the week',
      days(24 * 29, (index) => hourly(index) * (index % 168 >= 120 && index % 24 > 12 ? 0.3 : 1)),
      hour,
      'HOUR_OF_WEEK',
    ],
  ])('then it finds %s', (_, values, step, season) => {
    expect(scored(values, { step }).season).toBe(season)
  })
  it('then a Saturday like a Monday fires, and a Saturday like Saturdays does not', () => {
    const past = days(89, weekly)
    expect(past.length % 7).toBe(5)
    expect(scored([...past, 1000.5]).score).toBeGreaterThan(limits.LOW)
    expect(Math.abs(scored([...past, 410]).score)).toBeLessThan(limits.HIGH)
  })
  it('then a usual Monday does not fire although two of three Mondays were holidays', () => {
    const past = days(21, (index) => weekly(index) * (index % 14 === 0 ? 0.2 : 1))
    expect(scored([...past, 1000.5])).toMatchObject({ season: 'NONE' })
    expect(Math.abs(scored([...past, 1000.5]).score)).toBeLessThan(limits.HIGH)
    expect(scored([...past, 1000.5, 1000.5]).season).toBe('DAY_OF_WEEK')
  })
  it('then a steady rise is expected to continue', () => {
    const past = days(90, (index) => 1000.5 * 1.02 ** index * wobble(index))
    expect(Math.abs(scored([...past, 1020 * 1.02 ** 90]).score)).toBeLessThan(limits.HIGH)
  })
})

describe('given a short series with values far from the others', () => {
  const usual = [1003, 994, 1010, 988, 1001, 1006, 997, 992]
  const firesAfter = (past: readonly number[], value: number) =>
    Math.abs(scored([...past, value]).score) > limits.MEDIUM
  it.each([
    ['two of them', [...usual, 7000, 7000]],
    ['two of them after equal values', [...days(8, () => 1000), 7000, 7000]],
    ['two at different times', [...usual, 7000, 1003, 7000]],
    ['three in a row', [...usual, 7000, 7000, 7000]],
    ['one among the first seven', [1003, 7000, ...usual.slice(2), 7000]],
  ])('then after %s a smaller deviation fires, and a usual value does not', (_, past) => {
    expect([3000, 400, 1002].map((value) => firesAfter(past, value))).toEqual([true, true, false])
  })
  it('then such values are usual once they came and went three times, or if feedback confirmed them', () => {
    expect(firesAfter([...usual, 7000, 1003, 7000, 998, 7000], 6000)).toBe(false)
    const readings = series([...usual, 7000, 7000]).map((one) => ({ ...one, isConfirmed: one.value === 7000 }))
    expect(detect(readings, { at: start + 10 * day, value: 6000 }, 'NUMBER')?.score).toBe(0)
  })
})

describe('given counts', () => {
  it('then a doubled count in the second week fires again the next day, and so does half of it', () => {
    const past = [100, 101, 99, 102, 100, 98, 101, 100, 200]
    const scoreOf = (value: number) => detect(series(past), { at: start + past.length * day, value }, 'NUMBER')?.score
    expect([200, 50, 100].map((value) => Math.abs(scoreOf(value) ?? 0) > limits.MEDIUM)).toEqual([true, true, false])
  })
  it('then few counts vary as Poisson counts do', () => {
    const past = [2, 1, 4, 0, 2, 3, 1, 2, 5, 2, 0, 1, 3, 2, 2, 1, 3, 4, 2, 1]
    expect(scored([...past, 8]).score).toBeLessThan(limits.MEDIUM)
    expect(scored([...past, 40]).score).toBeGreaterThan(limits.LOW)
  })
  it('then constant counts fire at a small change only after many values', () => {
    expect(scored([...days(8, () => 12), 16]).score).toBeLessThan(limits.MEDIUM)
    expect(scored([...days(90, () => 12), 19]).score).toBeGreaterThan(limits.MEDIUM)
  })
})

describe('given percentages', () => {
  it('then one that was always 100 fires at 99, not at 99.9', () => {
    const past = days(60, () => 100)
    expect(scored([...past, 99], { figure: 'PERCENTAGE' }).score).toBeLessThan(-limits.LOW)
    expect(scored([...past, 99.9], { figure: 'PERCENTAGE' }).score).toBeGreaterThan(-limits.HIGH)
  })
  it('then 1 to 2 is as far as 99 to 98', () => {
    const past = days(40, (index) => wobble(index))
    const low = scored([...past, 2], { figure: 'PERCENTAGE' }).score
    const high = scored([...past.map((value) => 100 - value), 98], { figure: 'PERCENTAGE' }).score
    expect(low).toBeGreaterThan(limits.LOW)
    expect(high).toBeCloseTo(-low, 6)
  })
  it('then its band stays from 0 to 100', () => {
    const { lower, upper } = scored(
      days(30, (index) => (index % 2 ? 20 : 80)),
      { figure: 'PERCENTAGE' },
    ).band('LOW')
    expect(lower).toBeGreaterThanOrEqual(0)
    expect(upper).toBeLessThanOrEqual(100)
  })
})

describe('given feedback', () => {
  const past = series(days(60, (index) => 1000.5 * wobble(index)))
  const odd = past[40]
  const next = { at: start + 60 * day, value: 1600 }
  it('that an odd value is normal, then similar values do not fire, but larger ones and unusually small ones do', () => {
    if (odd !== undefined) odd.value = 1600
    const score = (value: number) => detect(past, { ...next, value }, 'NUMBER')?.score ?? 0
    expect(score(1600)).toBeGreaterThan(limits.LOW)
    if (odd !== undefined) odd.isConfirmed = true
    expect(score(1600)).toBe(0)
    expect(score(3000)).toBeGreaterThan(limits.LOW)
    expect(score(500)).toBeLessThan(-limits.LOW)
  })
  it('that the judged value itself is normal, then it does not fire, and is within its range', () => {
    const found = detect(past, { ...next, value: 5000, isConfirmed: true }, 'NUMBER')
    expect(found?.score).toBe(0)
    expect(found?.band('HIGH').upper).toBeCloseTo(5000, 6)
  })
})

describe('given a lasting shift', () => {
  const before = days(60, (index) => 1000.5 * wobble(index))
  const shifted = (count: number) => [...before, ...days(count, (index) => 1600.5 * wobble(index))]
  it('then the fifth value that agrees with the others proposes a new normal, and two weeks later nothing fires', () => {
    expect(scored(shifted(4)).isNewLevel('MEDIUM')).toBe(false)
    expect(scored(shifted(5)).isNewLevel('MEDIUM')).toBe(true)
    expect(Math.abs(scored(shifted(15)).score)).toBeLessThan(limits.HIGH)
  })
  it('then values that fire but do not agree propose none', () => {
    expect(scored([...before, 1600, 4000, 90_000, 1600, 8000]).isNewLevel('MEDIUM')).toBe(false)
  })
})

describe('whatever the series', () => {
  const values = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 8, maxLength: 60 }),
    fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 8, maxLength: 60 }),
    fc.array(fc.double({ min: 0.5, max: 100, noNaN: true }), { minLength: 8, maxLength: 60 }),
  )
  it('a value fires where it lies outside the band, and a more sensitive band is never wider', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(day, hour), (given, step) => {
        const detection = scored(given, { step })
        const value = given.at(-1) ?? 0
        const bandOf = (sensitivity: Sensitivity) => detection.band(sensitivity)
        const { lower, upper } = bandOf('MEDIUM')
        const near = (upper - lower) * 1e-9 + 1e-9
        if (value < lower - near || value > upper + near)
          expect(Math.abs(detection.score)).toBeGreaterThan(limits.MEDIUM)
        if (value > lower + near && value < upper - near)
          expect(Math.abs(detection.score)).toBeLessThanOrEqual(limits.MEDIUM)
        expect(bandOf('HIGH').lower).toBeGreaterThanOrEqual(lower)
        expect(bandOf('LOW').upper).toBeGreaterThanOrEqual(upper)
      }),
    )
  })
  it.each([10, 100, 5_000])(
    'after seven equal counts of %i, a much larger one fires, and half of them unless they are few',
    (usual) => {
      const equal = series(Array.from({ length: 7 }, () => usual))
      const firesAt = (value: number) => {
        const { lower, upper } = detect(equal, { at: start + 7 * day, value }, 'NUMBER')?.band('MEDIUM') ?? {}
        return value < (lower ?? -Infinity) || value > (upper ?? Infinity)
      }
      expect([usual / 2, usual, usual * (usual < 50 ? 3 : 2)].map(firesAt)).toEqual([usual > 50, false, true])
    },
  )
  it('fewer than seven earlier values say nothing', () => {
    expect(detect(series([1, 2, 3, 4, 5, 6]), { at: start + 9 * day, value: 1e9 }, 'NUMBER')).toBeUndefined()
  })
})

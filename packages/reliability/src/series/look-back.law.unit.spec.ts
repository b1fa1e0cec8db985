import { feedbacks, type Threshold, threshold } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactOf } from '../exact.ts'
import { judgeByHistory } from '../history.ts'
import type { Comparing } from '../threshold.ts'
import { figureOf } from './figure.ts'
import { daysToRead, type History } from './look-back.ts'
import { countedPoints, isWhole, type Mark } from './marks.ts'
import { dayMs, daysOf, type SeriesDay, type SeriesPoint, summaryOf } from './series-day.ts'

const now = Date.parse('2026-11-20T10:00:00Z')
interface Run extends SeriesPoint {
  executionId: number
}

/** Runs seconds to weeks apart, with few different values, so that many values are equal. */
const runs = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constantFrom(1, 60_000, 300_000, 3_600_000, dayMs), fc.nat(20 * dayMs)),
      value: fc.constantFrom(1, 2, 2.5, -7, 1000 / 3),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let at = now + dayMs / 2
    return steps.map(({ gap, value }, index): Run => {
      at -= gap
      return { executionId: index, at, value: figureOf(exactOf(value)) }
    })
  })
const windowType = fc.constantFrom('RUNS', 'DAYS', 'HOURS', 'MINUTES')
const window = fc.integer({ min: 1, max: 200 })
const given = fc.oneof(
  fc.record({
    type: fc.constant('RELATIVE'),
    config: fc.record({
      direction: fc.constantFrom('CHANGES_BY', 'INCREASED_BY', 'DECREASED_BY'),
      operator: fc.constantFrom('LTE', 'EQ', 'GT'),
      unit: fc.constantFrom('PERCENTAGE', 'ABSOLUTE'),
      success: fc.constantFrom(0, 1, 50),
      warning: fc.constantFrom(null, 2, 80),
    }),
    operationalConfig: fc.record({ lookBack: fc.record({ window, windowType }) }),
  }),
  fc.record({
    type: fc.constant('TIME_BASED'),
    config: fc.record({
      lookBackWindowType: windowType,
      successLookBackWindow: window,
      warningLookBackWindow: fc.option(window),
    }),
  }),
  fc.constant({ type: 'ANOMALY', config: { successSensitivityLevel: 'MEDIUM', warningSensitivityLevel: 'LOW' } }),
)
const marks = fc.array(fc.record({ index: fc.nat(59), mark: fc.constantFrom(...feedbacks) }), { maxLength: 4 })

function comparing(record: unknown): Comparing {
  const parsed: Threshold = threshold.parse(record)
  if (parsed.type === 'ABSOLUTE') throw new Error('compares with nothing')
  return parsed
}

/** Reads as the service does: summaries, and points only of the days that need them. */
function readHistory(all: readonly Run[], marked: readonly Mark[], asking: Comparing): History {
  const runsOn = (day: number) => all.filter(({ at }) => Math.floor(at / dayMs) === day)
  const days: SeriesDay[] = []
  for (const { day, summary } of daysOf(all)) {
    const said = marked.filter(({ at }) => Math.floor(at / dayMs) === day)
    if (isWhole(summary, said, now)) days.push({ day, summary })
    else {
      const points = countedPoints(runsOn(day), said, now)
      const counted = summaryOf(points)
      if (counted !== undefined) days.push({ day, summary: counted, points })
    }
    if (said.some(({ mark }) => mark === 'NEW_NORMAL')) break
  }
  for (const number of daysToRead(asking, { now, days })) {
    const day = days.find((one) => one.day === number)
    if (day !== undefined) day.points ??= runsOn(number)
  }
  return { now, days }
}

describe('for all frequencies of runs, windows and feedback', () => {
  it('summaries and the points of few days give the same verdict as all points', () => {
    fc.assert(
      fc.property(runs, marks, given, fc.constantFrom(1, 2, 300), (all, said, record, value) => {
        const byRun = new Map<number, Mark>()
        for (const { index, mark } of said) {
          const run = all[index]
          if (run !== undefined) byRun.set(index, { executionId: index, at: run.at, mark })
        }
        const marked = [...byRun.values()]
        const asking = comparing(record)
        const judged = judgeByHistory(exactOf(value), asking, readHistory(all, marked, asking), 'NUMBER')
        const raw = daysOf(countedPoints(all, marked, now))
        expect(judged).toEqual(judgeByHistory(exactOf(value), asking, { now, days: raw }, 'NUMBER'))
      }),
      { numRuns: 1_000 },
    )
  })

  it('the summary of a window equals the count, mean and extremes of its runs', () => {
    fc.assert(
      fc.property(runs, window, windowType, (all, size, type) => {
        const past = all.filter(({ at }) => at < now).sort((a, b) => b.at - a.at)
        const ms = { RUNS: 0, DAYS: dayMs, HOURS: 3_600_000, MINUTES: 60_000 }[type]
        const inWindow = type === 'RUNS' ? past.slice(0, size) : past.filter(({ at }) => at >= now - size * ms)
        const stale = comparing({
          type: 'TIME_BASED',
          config: { lookBackWindowType: type, successLookBackWindow: size },
        })
        const wasOther = inWindow.some(({ value }) => value !== '2')
        const isAsOld = type === 'RUNS' ? past.length >= size : past.some(({ at }) => at <= now - size * ms)
        const verdict = wasOther ? { verdict: 'SUCCESSFUL' } : isAsOld ? { verdict: 'ERRORED' } : {}
        expect(judgeByHistory(exactOf(2), stale, readHistory(all, [], stale), 'NUMBER')).toMatchObject(verdict)

        const same = comparing({
          type: 'RELATIVE',
          config: { direction: 'CHANGES_BY', operator: 'EQ', unit: 'ABSOLUTE', success: 0 },
          operationalConfig: { lookBack: { window: size, windowType: type } },
        })
        const sum = inWindow.reduce((total, { value }) => total + Number(value), 0)
        const mean = inWindow.length === 0 ? 0 : sum / inWindow.length
        const found = judgeByHistory(exactOf(2), same, readHistory(all, [], same), 'NUMBER')
        if (inWindow.length === 0) expect(found).toHaveProperty('note')
        else if (Math.abs(mean - 2) > 1e-6) expect(found.verdict).toBe('ERRORED')
        else if (!wasOther) expect(found.verdict).toBe('SUCCESSFUL')
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('given frequent runs and Saturdays that differ', () => {
  const saturday = Date.parse('2026-11-21T10:00:00Z')
  const saturdayOrNot = (step: number) =>
    Array.from({ length: (40 * dayMs) / step }, (_, index) => {
      const at = saturday - (index + 1) * step
      return { at, value: String((new Date(at).getUTCDay() === 6 ? 400 : 1000) + (index % 5)) }
    })
  it.each([
    ['hour', 3_600_000, 401, 'SUCCESSFUL'],
    ['hour', 3_600_000, 1000, 'ERRORED'],
    ['5 minutes', 300_000, 401, 'SUCCESSFUL'],
    ['5 minutes', 300_000, 1000, 'ERRORED'],
  ])('given a run each %s (%d ms), when %d is measured on a Saturday, then it is %s', (_, step, value, verdict) => {
    const anomaly = comparing({ type: 'ANOMALY', config: { successSensitivityLevel: 'MEDIUM' } })
    const history = { now: saturday, days: daysOf(saturdayOrNot(step)) }
    expect(judgeByHistory(exactOf(value), anomaly, history, 'NUMBER')).toMatchObject({ verdict })
  })
})

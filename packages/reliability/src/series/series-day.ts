import { compareExact } from '../exact.ts'
import { exactOfFigure, sumOfFigures } from './figure.ts'

export const dayMs = 86_400_000

/** One value of a run in a series. `at`: start of the run in epoch milliseconds; `value`: text of `figureOf`. */
export interface SeriesPoint {
  at: number
  value: string
  /** Feedback said that the value is normal. */
  isConfirmed?: true
}

/** The summary of points, for look-backs. `sum`, `least` and `most` are texts of `figureOf`. */
export interface Summary {
  count: number
  sum: string
  least: string
  most: string
  firstAt: number
  lastAt: number
}

/** One UTC day of a series. `day`: days since 1970. `points`: present only if they were read. */
export interface SeriesDay {
  day: number
  summary: Summary
  points?: readonly SeriesPoint[]
}

export function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

/** Merges summaries; `undefined` if there are none. */
export function mergedSummary(summaries: readonly Summary[]): Summary | undefined {
  const [first, ...others] = summaries
  if (first === undefined) return undefined
  if (others.length === 0) return first
  let { count, least, most, firstAt, lastAt } = first
  for (const one of others) {
    count += one.count
    if (isLess(one.least, least)) least = one.least
    if (isLess(most, one.most)) most = one.most
    firstAt = Math.min(firstAt, one.firstAt)
    lastAt = Math.max(lastAt, one.lastAt)
  }
  return { count, sum: sumOfFigures(summaries.map(({ sum }) => sum)), least, most, firstAt, lastAt }
}

const isLess = (a: string, b: string) => a !== b && compareExact(exactOfFigure(a), exactOfFigure(b)) < 0

export function summaryOf(points: readonly SeriesPoint[]): Summary | undefined {
  const each = ({ at, value }: SeriesPoint) => ({ sum: value, least: value, most: value, firstAt: at, lastAt: at })
  return mergedSummary(points.map((point) => ({ count: 1, ...each(point) })))
}

/** The days of points (in any order), newest first, with their points. */
export function daysOf(points: readonly SeriesPoint[]): SeriesDay[] {
  return [...Map.groupBy(points, ({ at }) => dayOf(at))]
    .sort(([a], [b]) => b - a)
    .flatMap(([day, ofDay]) => {
      const summary = summaryOf(ofDay)
      return summary === undefined ? [] : [{ day, summary, points: ofDay }]
    })
}

import type { SeriesPoint, Summary } from './series-day.ts'

/**
 * What people said of a point. EXCLUDED: it was an anomaly, and nothing is learned from it. CONFIRMED: it was normal.
 * NEW_NORMAL: what was before it no longer counts.
 */
export const pointMarks = ['EXCLUDED', 'CONFIRMED', 'NEW_NORMAL'] as const
export type PointMark = (typeof pointMarks)[number]

/** `at`: of the marked point. Each point has one mark at most. */
export interface Mark {
  executionId: number
  at: number
  mark: PointMark
}

/** Whether a look-back before `now` may use the summary of a day: all of its points count. */
export function isWhole(summary: Summary, marks: readonly Mark[], now: number): boolean {
  return summary.lastAt < now && marks.every(({ mark }) => mark === 'CONFIRMED')
}

/** Whether what was before the day does not count. */
export function beginsAnew(marks: readonly Mark[]): boolean {
  return marks.some(({ mark }) => mark === 'NEW_NORMAL')
}

/** The points of a day that count in a look-back before `now`. */
export function countedPoints(
  points: readonly (SeriesPoint & { executionId: number })[],
  marks: readonly Mark[],
  now: number,
): SeriesPoint[] {
  const starts = marks.flatMap(({ mark, at }) => (mark === 'NEW_NORMAL' ? [at] : []))
  const start = Math.max(Number.NEGATIVE_INFINITY, ...starts)
  const excluded = new Set(marks.flatMap(({ mark, executionId }) => (mark === 'EXCLUDED' ? [executionId] : [])))
  return points
    .filter(({ at, executionId }) => at >= start && at < now && !excluded.has(executionId))
    .map(({ at, value }) => ({ at, value }))
}

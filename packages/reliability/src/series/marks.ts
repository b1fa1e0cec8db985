import type { Feedback } from '@assay/contracts'
import type { SeriesPoint, Summary } from './series-day.ts'

/** Feedback on a point. `at`: time of the point. A point has at most one mark. */
export interface Mark {
  executionId: number
  at: number
  mark: Feedback
}

/** Whether all points of a day count in a look-back before `now`, and none has a mark, so that its summary suffices. */
export function isWhole(summary: Summary, marks: readonly Mark[], now: number): boolean {
  return summary.lastAt < now && marks.length === 0
}

/** Whether the days before this one do not count. */
export function startsBaseline(marks: readonly Mark[]): boolean {
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
  const marked = new Map(marks.map(({ mark, executionId }) => [executionId, mark]))
  return points
    .filter(({ at, executionId }) => at >= start && at < now && marked.get(executionId) !== 'ANOMALY')
    .map(({ at, value, executionId }) => ({
      at,
      value,
      ...(marked.get(executionId) === 'NORMAL' ? { isConfirmed: true as const } : {}),
    }))
}

import type { Feedback } from '@assay/contracts'
import type { SeriesPoint, Summary } from './series-day.ts'

/** Feedback on a point. `at`: time of the point. A point has at most one mark. */
export interface Mark {
  executionId: number
  at: number
  mark: Feedback
}

/**
 * Whether the summary of a day suffices in a look-back before `now`: all points of the day count, and none has a mark.
 */
export function isWhole(summary: Summary, marks: readonly Mark[], now: number): boolean {
  return summary.lastAt < now && marks.length === 0
}

/** Whether earlier days do not count. */
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

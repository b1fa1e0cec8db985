import type { Feedback, SeriesPoint } from '@assay/contracts'
import { type JudgedPoint, valueOfPoint } from '@assay/reliability'

/** The record of a point. Pure. */
export function shownPoint(
  { executionId, startedAt: at }: { executionId: number; startedAt: string },
  { itemId: ruleItemId, metric, columnName, value, lower, upper, fired }: JudgedPoint,
  feedback: Feedback | null = null,
): SeriesPoint {
  return {
    at,
    executionId,
    ruleItemId,
    metric,
    columnName,
    value: valueOfPoint({ value }),
    lower,
    upper,
    fired,
    feedback,
  }
}

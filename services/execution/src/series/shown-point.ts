import type { Feedback, SeriesPoint } from '@assay/contracts'
import { type JudgedPoint, valueOfPoint } from '@assay/reliability'
import { isoTime } from '@assay/service-kit'

/** The record of a point. Pure. */
export function shownPoint(
  { executionId, startedAt }: { executionId: number; startedAt: string },
  { itemId: ruleItemId, metric, columnName, value, lower, upper, fired, periodEnd }: JudgedPoint,
  feedback: Feedback | null = null,
): SeriesPoint {
  return {
    at: periodEnd === undefined ? startedAt : isoTime(periodEnd),
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

import type { FoundPeriods } from '../kinds/judging.ts'
import type { RecordedPeriods } from './recorded.ts'

/**
 * The index of the first period to use: the first one with rows, or the first one that ended since the last run.
 * `undefined` if no period has rows and there was no earlier run. Pure.
 *
 * Earlier periods without rows are not used, because their rows may have been removed.
 */
export function firstPeriod(
  measured: FoundPeriods['periods'],
  ends: readonly number[],
  before: RecordedPeriods | undefined,
): number | undefined {
  const withRows = measured.findIndex(({ rows }) => rows > 0)
  if (before === undefined) return withRows === -1 ? undefined : withRows
  const last = lastEnd(before)
  const unjudged = ends.findIndex((end) => end > last)
  return Math.min(ends.length - 1, ...[withRows, unjudged].filter((index) => index !== -1))
}

/** The end of the newest recorded period. */
export function lastEnd(before: RecordedPeriods | undefined): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...(before?.ends ?? []))
}

import type { FoundPeriods } from '../kinds/judging.ts'
import type { RecordedPeriods } from './recorded.ts'

/**
 * The index of the first period that counts: the first one with rows, because older data may have been removed from the
 * table. Retention may have removed a part of it, so it counts only if an earlier run recorded it, it ended since the
 * last run, or there is no other. `undefined` if the table has had no rows in any period. Pure.
 */
export function firstPeriod(
  measured: FoundPeriods['periods'],
  ends: readonly number[],
  before: RecordedPeriods | undefined,
): number | undefined {
  const withRows = measured.findIndex(({ rows }) => rows > 0)
  const newest = ends.length - 1
  if (withRows === -1) return before === undefined ? undefined : newest
  const end = ends[withRows] ?? 0
  const isKnown = before !== undefined && (before.ends.includes(end) || end > lastEnd(before))
  return withRows === 0 || withRows === newest || isKnown ? withRows : withRows + 1
}

/** The end of the newest recorded period. */
export function lastEnd(before: RecordedPeriods | undefined): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...(before?.ends ?? []))
}

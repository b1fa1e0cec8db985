import type { FoundPeriods } from '../kinds/judging.ts'
import type { RecordedPeriods } from './recorded.ts'

/**
 * The index of the first period to use. `undefined` if no period has rows and there was no earlier run. Pure.
 *
 * - Earlier periods without rows are not used, because their rows may have been removed, unless they ended since the last
 *   run.
 * - Retention may have removed a part of the first period with rows. So that period is used only if an earlier run
 *   recorded it, if it ended since the last run, or if it is the only one.
 */
export function firstPeriod(
  measured: FoundPeriods['periods'],
  ends: readonly number[],
  before: RecordedPeriods | undefined,
): number | undefined {
  const withRows = measured.findIndex(({ rows }) => rows > 0)
  const newest = ends.length - 1
  if (before !== undefined) {
    const last = lastEnd(before)
    const isCut = withRows > 0 && withRows < newest && !isRecorded(before, ends[withRows])
    const unjudged = ends.findIndex((end) => end > last)
    return Math.min(newest, ...[isCut ? withRows + 1 : withRows, unjudged].filter((index) => index !== -1))
  }
  if (withRows === -1) return undefined
  return withRows === 0 || withRows === newest ? withRows : withRows + 1
}

const isRecorded = ({ ends }: RecordedPeriods, end: number | undefined) => end !== undefined && ends.includes(end)

/** The end of the newest recorded period. */
export function lastEnd(before: RecordedPeriods | undefined): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...(before?.ends ?? []))
}

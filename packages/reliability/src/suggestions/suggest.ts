import type { MeasurementType } from '@assay/contracts'
import { type Candidate, candidatesFor } from '../measurements/suggested-items.ts'
import type { ColumnOfProfile, Profiled } from './profiled.ts'

/**
 * An item that may be added to a policy on the table. `rank`: 1 is the best item of its column. `failureRate`: the
 * share of earlier profiles whose rows would have failed it; null if there are none. `partitions`: the number of
 * earlier profiles that this rate is based on.
 */
export interface Suggestion {
  columnName: string
  measurementType: MeasurementType
  value: Record<string, unknown>
  resultThreshold: number
  rank: number
  failureRate: number | null
  partitions: number
}

/** Maximum number of suggested items per column. */
const mostOfColumn = 5
/** An item that failed in more than this share of the profiles is not the column's habit. */
const worstRate = 0.5

function columnsOf({ rows, columns }: Profiled): Map<string, ColumnOfProfile> {
  return new Map(columns.map((column) => [column.name, { column, rows, values: rows - column.nulls }]))
}

function tested(candidate: Candidate, past: readonly ColumnOfProfile[]) {
  const found = past.flatMap((one) => candidate.fails(one) ?? [])
  const failures = found.filter(Boolean).length
  return { candidate, partitions: found.length, failureRate: found.length === 0 ? null : failures / found.length }
}

/**
 * At most five items for each column of the latest profile, best first. The items fit the column's type, and pass in
 * the latest profile and in at least half of the earlier ones. `hasRe2`: whether the source of the table knows the classes of
 * RE2 that suggested patterns consist of. Pure.
 */
export function suggestionsFor(
  latest: Profiled,
  earlier: readonly Profiled[],
  { hasRe2 = true }: { hasRe2?: boolean } = {},
): Suggestion[] {
  const past = earlier.map(columnsOf)
  return [...columnsOf(latest).values()].flatMap((now) => {
    const same = past.flatMap((columns) => columns.get(now.column.name) ?? [])
    const comparable = same.filter(({ column }) => column.dataType === now.column.dataType && column.error === null)
    const worth = ({ candidate, failureRate }: ReturnType<typeof tested>) => candidate.worth * (1 - (failureRate ?? 0))
    return candidatesFor(now)
      .filter(({ needsRe2 }) => hasRe2 || needsRe2 === undefined)
      .map((candidate) => tested(candidate, comparable))
      .filter(({ failureRate }) => (failureRate ?? 0) <= worstRate)
      .sort((one, other) => worth(other) - worth(one))
      .slice(0, mostOfColumn)
      .map(({ candidate: { measurementType, value, resultThreshold }, ...test }, index) => ({
        columnName: now.column.name,
        ...{ measurementType, value, resultThreshold, rank: index + 1, ...test },
      }))
  })
}

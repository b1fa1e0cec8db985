import type { Found } from '../kinds/judging.ts'
import { type Instant, parseInstant } from '../times.ts'
import type { ArrivalPolicy } from './definition.ts'
import type { ArrivalFindings } from './findings.ts'
import type { FreshnessItem } from './freshness-items.ts'
import { changeIn } from './learned.ts'

/** The time of the newest data of an item, or why it is unknown. */
export type Newest = { instant: Instant; source: NonNullable<ArrivalFindings['source']> } | { problem: string }

/**
 * The newest data of an item: the newest value of its column, else the last change that the source reports for the
 * whole table. Pure.
 */
export function newestOf(
  { id, columnName }: FreshnessItem,
  { filter }: Pick<ArrivalPolicy, 'filter'>,
  all: readonly Found[],
): Newest {
  if (columnName !== null) return newestValue(id, columnName, all)
  if (filter === null || filter.trim() === '') return newestChange(all)
  return { problem: 'A filter does not apply to the time of a whole table: name a date or time column in columnName.' }
}

function newestChange(all: readonly Found[]): Newest {
  const change = changeIn(all)
  const instant = change?.at == null ? undefined : parseInstant(change.at)
  if (change?.source == null || instant === undefined)
    return { problem: 'The source does not say when this table changed: name a date or time column in columnName.' }
  return { instant, source: change.source }
}

function newestValue(id: number, columnName: string, all: readonly Found[]): Newest {
  const measured = all.flatMap((one) => (one.kind === 'MEASURE' ? [one] : []))[0]
  const result = measured?.results.find((one) => one.id === id)
  const problem = measured?.problems.get(id)
  if (problem !== undefined) return { problem }
  if (result?.kind === 'error') return { problem: result.message }
  if (result?.kind !== 'value') return { problem: 'The engine gave no result for this item.' }
  if (result.value === null) return { problem: `The column '${columnName}' has no value.` }
  const instant = parseInstant(result.value)
  if (instant === undefined) return { problem: `The newest value of '${columnName}' is not a date or time.` }
  return { instant, source: 'TIME_COLUMN' }
}

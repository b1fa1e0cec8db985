import type { Anomaly } from '@assay/contracts'
import { formatType, parseType } from '@assay/data-engine'
import { z } from 'zod'
import type { LearnedData, RunGiven } from '../kinds/judging.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import type { RunItem } from './definition.ts'
import { columnsOf } from './series.ts'

/** The types of the columns at the last run, by column name. */
const learnedTypes = z.object({ assetId: z.int(), types: z.record(z.string(), z.string()) })
export type Types = z.infer<typeof learnedTypes>['types']

/** Empty before the first run, and after the policy was moved to another table. */
export function typesBefore({ learned, sides: [{ assetId }] }: RunGiven): Types {
  if (learned === undefined) return {}
  const before = learnedTypes.parse(learned)
  return before.assetId === assetId ? before.types : {}
}

/** The types of the columns that were read. */
export const typesOf = ({ columns }: ProfileState): Types =>
  Object.fromEntries(columns.map(({ name, dataType }) => [name, formatType(parseType(dataType))]))

/** The types for the next run. Columns that this run did not look for keep their types. */
export function typesAfter(run: RunGiven, items: readonly RunItem[], now: Types): LearnedData {
  const before = typesBefore(run)
  const asked = new Set(items.flatMap((item) => columnsOf(item, run)))
  const isOfAll = items.some(({ columns }) => columns === null)
  const others = Object.entries(before).filter(([name]) => !isOfAll && !asked.has(name))
  return { assetId: run.sides[0].assetId, types: { ...Object.fromEntries(others), ...now } }
}

/** The schema changes since the last run. */
export type Changed = Pick<Anomaly, 'value' | 'reason'>

/** Whether a column's type has changed; `undefined` if the column is new. */
export function changeOfType(columnName: string, before: Types, now: Types): Changed | undefined {
  const [then, type] = [before[columnName], now[columnName]]
  if (then === undefined || type === undefined) return undefined
  if (then === type) return { value: 0, reason: null }
  return { value: 1, reason: `The type of '${columnName}' was ${then} and is now ${type}.` }
}

/** The number of columns that were added, were removed, or changed their type; `undefined` at the first run. */
export function changeOfSchema(before: Types, now: Types): Changed | undefined {
  if (Object.keys(before).length === 0) return undefined
  const parts = [
    { what: 'added', names: Object.keys(now).filter((name) => before[name] === undefined) },
    { what: 'removed', names: Object.keys(before).filter((name) => now[name] === undefined) },
    {
      what: 'with another type',
      names: Object.keys(now).filter((name) => before[name] !== undefined && before[name] !== now[name]),
    },
  ].filter(({ names }) => names.length > 0)
  const value = parts.reduce((sum, { names }) => sum + names.length, 0)
  if (value === 0) return { value, reason: null }
  const listed = parts.map(({ what, names }) => `${names.length} ${what} (${shown(names)})`).join(', ')
  return { value, reason: `The schema changed since the last run. Columns: ${listed}.` }
}

const maxShown = 5
const shown = (names: readonly string[]) =>
  `${names.slice(0, maxShown).join(', ')}${names.length > maxShown ? ', ...' : ''}`

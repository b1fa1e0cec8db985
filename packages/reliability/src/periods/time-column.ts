import { fileDateColumn, type PeriodPlan } from '@assay/data-engine'
import { kindOfType } from '../column-types.ts'
import { namedColumn, type PlannedColumn } from '../definition.ts'
import type { GivenSide } from '../kinds/judging.ts'
import type { PeriodsDefinition } from './definition.ts'

/** Where the name of the time column comes from. */
export type PeriodSource = 'POLICY' | 'PARTITION' | 'FRESHNESS_COLUMN' | 'MARKER' | 'FILE_NAME'

/** The columns with the time of a row. */
export interface TimeColumn {
  source: PeriodSource
  /** For a partition by year, month and day: `year/month/day`. Empty for dates in names of files. */
  columnName: string
  time: PeriodPlan['time']
  /** Whether it holds dates without a zone. Its periods are then the days as they are written, in the table's zone. */
  isDate: boolean
}

type Side = Pick<GivenSide, 'columns' | 'partitions' | 'hasDatedNames'>

/**
 * The column with the time of a row. If the policy names a column, it is this one. Otherwise it is the first of these
 * that exists: a partition key that reads as a date, the column that the configuration of the table names, the column
 * of the policy's marker, the dates in the names of its files. For periods of an HOUR, columns of dates do not count. `undefined` if there is none. Pure.
 */
export function timeColumnOf(definition: PeriodsDefinition, side: Side): TimeColumn | undefined {
  const { columnName, freshnessColumn, marker, granularity } = definition
  const usable = (found: TimeColumn | undefined) => (granularity === 'HOUR' && found?.isDate ? undefined : found)
  if (columnName !== null) return usable(timeIn(side, 'POLICY', columnName))
  return (
    usable(partitionOf(side)) ??
    (freshnessColumn === null ? undefined : usable(timeIn(side, 'FRESHNESS_COLUMN', freshnessColumn))) ??
    (marker === null ? undefined : usable(timeIn(side, 'MARKER', marker.columnName, marker.format))) ??
    (side.hasDatedNames === true ? usable(ofNames) : undefined)
  )
}

const ofNames: TimeColumn = {
  ...{ source: 'FILE_NAME', columnName: '', isDate: true },
  time: [{ column: fileDateColumn, format: null }],
}

function timeIn(
  { columns }: Side,
  source: PeriodSource,
  name: string,
  format: string | null = null,
): TimeColumn | undefined {
  const column = namedColumn(columns, name)
  if (column === undefined) return undefined
  const kind = kindOfType(column.dataType)
  const isTyped = kind === 'date' || kind === 'time'
  if (!isTyped && kind !== 'text') return undefined
  const time = [{ column: column.name, format: isTyped ? null : format }]
  return { source, columnName: column.name, time, isDate: kind === 'date' || (!isTyped && isDayFormat(format)) }
}

/** Whether texts of a format, such as `%d.%m.%Y`, have no hours. */
function isDayFormat(format: string | null): boolean {
  return format !== null && !/%-?[HI]/.test(format.replaceAll('%%', ''))
}

/** Names of partition keys whose values look like `20260131`. */
const dateNames = ['dt', 'ds', 'date', 'day', 'event_date', 'partition_date']

function partitionOf({ columns, partitions = [] }: Side): TimeColumn | undefined {
  const keys = partitions.flatMap((name) => columns.find((column) => column.name === name) ?? [])
  const typed = keys.find(({ dataType }) => kindOfType(dataType) === 'date' || kindOfType(dataType) === 'time')
  if (typed !== undefined) return timeIn({ columns }, 'PARTITION', typed.name)
  const compact = keys.find(({ name }) => dateNames.includes(name.toLowerCase()))
  const byDay = compact && kindOfType(compact.dataType) === 'number' ? [compact] : undefined
  if (byDay !== undefined) return ofParts(byDay, ['%Y%m%d'])
  const parts = ['year', 'month', 'day'].flatMap((part) => keys.find(({ name }) => name.toLowerCase() === part) ?? [])
  return parts.length === 3 ? ofParts(parts, ['%Y', '%m', '%d']) : undefined
}

function ofParts(keys: readonly PlannedColumn[], formats: readonly string[]): TimeColumn {
  const time = keys.map(({ name: column }, index) => ({ column, format: formats[index] ?? null }))
  return { source: 'PARTITION', columnName: keys.map(({ name }) => name).join('/'), time, isDate: true }
}

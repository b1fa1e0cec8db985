import type { Strategy } from '@assay/contracts'
import { isTemporal, parseType } from '@assay/data-engine'

/** The properties of a table that decide which parts can be selected. */
export interface SelectableTable {
  /** Columns of the table itself, not leaves. */
  columns: readonly { name: string; dataType: string }[]
  isFile: boolean
  isTopic: boolean
}

/** Whether a column of this type can hold increasing row ids. */
export function isIdType(dataType: string): boolean {
  return parseType(dataType).kind === 'integer'
}

/** Whether a column of this type can hold the time of a row. */
export function isTimeType(dataType: string): boolean {
  return isTemporal(parseType(dataType))
}

function strategy(name: string, type: string, description: string): Strategy {
  return { name, type, description }
}

const incremental = {
  id: strategy('Id', 'IdMarkerConfig', 'Rows whose id is above the highest one read so far.'),
  time: strategy(
    'Date and time',
    'DateTimeMarkerConfig',
    'Rows whose date or time is after the latest one read so far.',
  ),
  file: strategy('File event', 'FileEventMarkerConfig', 'Files that were added or changed since the last run.'),
  topic: strategy('Timestamp', 'TimestampBasedMarkerConfig', 'Messages after the latest time read so far.'),
}
const selective = {
  id: strategy('Id', 'bound', 'Rows whose id is between two bounds.'),
  time: strategy('Date and time', 'boundDateTime', 'Rows whose date or time is between two bounds.'),
  file: strategy('File event', 'boundFileEvent', 'Files that were added or changed between two times.'),
  topic: strategy('Timestamp', 'TimestampBasedMarkerConfig', 'Messages from a given time on.'),
}

/** The strategies that a table supports: none without rows. Pure. */
export function strategiesOf(table: SelectableTable | undefined): { incremental: Strategy[]; selective: Strategy[] } {
  if (table === undefined) return { incremental: [], selective: [] }
  const kinds = [
    ...(table.columns.some(({ dataType }) => isIdType(dataType)) ? (['id'] as const) : []),
    ...(table.columns.some(({ dataType }) => isTimeType(dataType)) ? (['time'] as const) : []),
    ...(table.isFile ? (['file'] as const) : []),
    ...(table.isTopic ? (['topic'] as const) : []),
  ]
  return { incremental: kinds.map((kind) => incremental[kind]), selective: kinds.map((kind) => selective[kind]) }
}

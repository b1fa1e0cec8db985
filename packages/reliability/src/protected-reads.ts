import {
  findColumnPath,
  isMasked,
  type Mask,
  mayReadHidden,
  otherTables,
  quotedNames,
  type Touched,
} from '@assay/data-engine'
import { type PlannedColumn, writtenText } from './definition.ts'
import type { Reads } from './measurements/reads.ts'
import { impliedColumns } from './partition-markers.ts'

/** A table and its protected parts. */
export interface MaskedTable {
  columns: readonly PlannedColumn[]
  /** `null` if nothing is protected. */
  mask: Mask | null
}

/** The protected parts of a table, and of everything that definitions on the table may reference. */
export interface ProtectedTable extends MaskedTable {
  /** Whether a column of another asset is protected; true for an unknown one. */
  hidesLookup(assetId: number, columnName: string): boolean
  /** Whether a table of the assembly that may have this name has protected parts; `name` is `undefined` if unknown. */
  hidesTable(name: string | undefined): boolean
}

/**
 * Whether the values of a column, or of a field within it, are hidden. An unknown name is hidden if all columns are
 * hidden.
 */
function hidesColumn({ columns, mask }: MaskedTable, name: string): boolean {
  if (mask === null) return false
  const column = findColumnPath(columns, name)?.column ?? name
  const found = columns.find((one) => one.name === column)
  return found === undefined ? mask === 'all' : isMasked({ name: found.name, type: found.dataType }, mask)
}

function textReadsProtected(touched: Touched | undefined, table: MaskedTable): boolean {
  if (table.mask === null) return false
  const columns = table.columns.map(({ name }) => name)
  return mayReadHidden(touched, { columns, isHidden: (name) => hidesColumn(table, name) })
}

/**
 * Whether a filter may read protected values. `touched`: the engine's analysis of the filter, or `undefined` if there
 * is none.
 */
export function filterReadsProtected(filter: string | null, touched: Touched | undefined, table: MaskedTable): boolean {
  return writtenText(filter) !== undefined && textReadsProtected(touched, table)
}

/** Whether a marker selects rows by a protected column. Markers on times of files use no column. */
export function markerReadsProtected(marker: object | null, table: MaskedTable): boolean {
  if (marker === null) return false
  const named = Object.entries(marker).flatMap(([key, name]) => (/columnName$/i.test(key) ? [name] : []))
  const columns = [...named, ...impliedColumns(marker, table)]
  return columns.some((name) => typeof name === 'string' && name !== '' && hidesColumn(table, name))
}

/** Names of the other tables that a SELECT reads. An `undefined` name means that it may read any table. */
export function tablesReadBy({ select }: Pick<Reads, 'select'>, touched: Touched | undefined): (string | undefined)[] {
  if (select === undefined) return []
  return touched === undefined ? [undefined] : otherTables(touched, quotedNames(select))
}

/**
 * Whether any of the reads is protected. `touched`: the engine's analysis of all SQL of the item. If it is `undefined`,
 * the SQL may read anything.
 */
export function readsProtected(reads: Reads, touched: Touched | undefined, table: ProtectedTable): boolean {
  return (
    reads.isUnknown === true ||
    reads.columns.some((name) => hidesColumn(table, name)) ||
    (reads.sql && textReadsProtected(touched, table)) ||
    reads.lookups.some(({ assetId, columnName }) => table.hidesLookup(assetId, columnName)) ||
    tablesReadBy(reads, touched).some((name) => table.hidesTable(name))
  )
}

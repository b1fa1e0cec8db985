import { type ItemRecord, itemKinds } from '@assay/contracts'
import {
  findColumnPath,
  isMasked,
  type Mask,
  mayReadHidden,
  otherTables,
  quotedNames,
  type Touched,
} from '@assay/data-engine'
import type { PlannedColumn } from './definition.ts'
import { columnsMeantBy } from './partition-markers.ts'

/** What of a table is protected. */
export interface MaskedTable {
  columns: readonly PlannedColumn[]
  /** Null: nothing. */
  mask: Mask | null
}

/** What of a table, and of what definitions about it name besides, is protected. */
export interface ProtectedTable extends MaskedTable {
  /** Whether a column of another asset is protected; one that is not known counts as such. */
  hidesLookup(assetId: number, columnName: string): boolean
  /** Whether anything is protected of a table of the assembly that may be called so; `undefined`: nobody knows how. */
  hidesTable(name: string | undefined): boolean
}

type ReadingItem = Pick<
  ItemRecord,
  'measurementType' | 'columnName' | 'filter' | 'ruleExpression' | 'value' | 'aggregateType'
>

/** Whether the values of a column, or of a field within it, are hidden. A name that is no column hides nothing. */
function hidesColumn({ columns, mask }: MaskedTable, name: string): boolean {
  if (mask === null) return false
  const column = findColumnPath(columns, name)?.column ?? name
  const found = columns.find((one) => one.name === column)
  return found === undefined ? mask === 'all' : isMasked({ name: found.name, type: found.dataType }, mask)
}

const isWritten = (text: string | null) => text !== null && text.trim() !== ''

function textReadsProtected(touched: Touched | undefined, table: MaskedTable): boolean {
  if (table.mask === null) return false
  const columns = table.columns.map(({ name }) => name)
  return mayReadHidden(touched, { columns, isHidden: (name) => hidesColumn(table, name) })
}

/** Whether a filter over a row may read what is protected. `touched`: what the engine says that it touches; `undefined`: not known. */
export function filterReadsProtected(filter: string | null, touched: Touched | undefined, table: MaskedTable): boolean {
  return isWritten(filter) && textReadsProtected(touched, table)
}

/** Whether a marker of any kind cuts by a protected column. Markers on times of files do not. */
export function markerReadsProtected(marker: object | null, table: MaskedTable): boolean {
  if (marker === null) return false
  const named = Object.entries(marker).flatMap(([key, name]) => (/columnName$/i.test(key) ? [name] : []))
  const columns = [...named, ...columnsMeantBy(marker, table)]
  return columns.some((name) => typeof name === 'string' && name !== '' && hidesColumn(table, name))
}

/** Names of the tables that a SELECT reads beside its own; `undefined` among them: it may read any. */
export function tablesReadBy(
  { measurementType, value }: Pick<ItemRecord, 'measurementType' | 'value'>,
  touched: Touched | undefined,
): (string | undefined)[] {
  if (measurementType !== 'SQL_METRIC') return []
  const sql = value?.sql
  return touched === undefined || typeof sql !== 'string' ? [undefined] : otherTables(touched, quotedNames(sql))
}

/**
 * Whether what an item comes to depends on protected values. Counting the missing, distinct and duplicate values of a column
 * does not, whichever column it is. What cannot be told counts as depending. `touched`: by all SQL of the item; `undefined`:
 * not known, so its SQL may read anything.
 */
export function itemReadsProtected(item: ReadingItem, touched: Touched | undefined, table: ProtectedTable): boolean {
  if (filterReadsProtected(item.filter, touched, table)) return true
  const ofColumn = item.columnName !== null && hidesColumn(table, item.columnName)
  const ofExpression = isWritten(item.ruleExpression) && textReadsProtected(touched, table)
  switch (item.measurementType) {
    case 'MISSING_VALUES':
    case 'DISTINCTNESS_CHECK':
    case 'DUPLICATE_ROWS_CHECK':
    case 'TAG_MATCH':
      return false
    case 'AGGREGATES':
      return ofColumn && item.aggregateType !== 'COUNT'
    case 'BUSINESS_MEASURE':
      return ofExpression || (ofColumn && item.aggregateType !== 'COUNT')
    case 'SQL_METRIC':
      return textReadsProtected(touched, table) || tablesReadBy(item, touched).some((name) => table.hidesTable(name))
    case 'VALUES_IN_LOOKUP': {
      const value = itemKinds.VALUES_IN_LOOKUP.value.safeParse(item.value)
      if (!value.success) return true
      return ofColumn || table.hidesLookup(value.data.lookupAssetId, value.data.lookupColumnName)
    }
    case 'UDF_PREDICATE':
      return ofColumn || textReadsProtected(touched, table)
    case 'CUSTOM':
    case 'FRESHNESS_CHECK':
      return ofColumn || ofExpression
    case 'REGEX_MATCH':
    case 'VALUES_IN_LIST':
    case 'DATATYPE_MATCH':
    case 'RANGE_MATCH':
    case 'SIZE_CHECK':
    case 'PRECISION_SCALE_CHECK':
      return ofColumn
    default:
      return item.measurementType satisfies never
  }
}

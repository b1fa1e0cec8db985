import { type ItemRecord, isMasked, itemKinds, type Mask } from '@assay/contracts'
import { findColumnPath, mayReadHidden, tokenWords } from '@assay/data-engine'
import type { PlannedColumn } from './definition.ts'
import { givenParameters } from './measurements/udf-predicate.ts'
import type { UdfTemplate } from './references.ts'

/** What of a table, and of what definitions about it name besides, is protected. */
export interface ProtectedTable {
  columns: readonly PlannedColumn[]
  /** Null: nothing of the table itself. */
  mask: Mask | null
  /** The template of a UDF; `undefined`: not known, so it may read anything. */
  udf(id: number): Pick<UdfTemplate, 'code' | 'variables'> | undefined
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
function hidesColumn({ columns, mask }: ProtectedTable, name: string): boolean {
  if (mask === null) return false
  const column = findColumnPath(columns, name)?.column ?? name
  const found = columns.find((one) => one.name === column)
  return found === undefined ? mask === 'all' : isMasked({ name: found.name, type: found.dataType }, mask)
}

/** Whether an expression over a row may read what is protected. */
export function expressionReadsProtected(
  text: string | null,
  table: ProtectedTable,
  columnVariables: Readonly<Record<string, string>> = {},
): boolean {
  return text !== null && text.trim() !== '' && mayReadHidden(text, { ...readable(table), columnVariables })
}

function readable(table: ProtectedTable) {
  return { columns: table.columns.map(({ name }) => name), isHidden: (name: string) => hidesColumn(table, name) }
}

/** Whether a marker of any kind cuts by a protected column. Markers on times of files and on partitions by folder do not. */
export function markerReadsProtected(marker: object | null, table: ProtectedTable): boolean {
  if (marker === null) return false
  const columns = Object.entries(marker).filter(([key]) => /columnName$/i.test(key))
  return columns.some(([, name]) => typeof name === 'string' && name !== '' && hidesColumn(table, name))
}

/** Names of other tables that a SELECT may mean, each once; `undefined` where they cannot be told. */
export function tablesMeantBy({
  measurementType,
  value,
}: Pick<ItemRecord, 'measurementType' | 'value'>): string[] | undefined {
  const sql = measurementType === 'SQL_METRIC' ? value?.sql : undefined
  return typeof sql === 'string' ? tokenWords(sql) : []
}

/**
 * Whether what an item comes to depends on protected values. Counting the missing, distinct and duplicate values of a column
 * does not, whichever column it is. What cannot be told counts as depending.
 */
export function itemReadsProtected(item: ReadingItem, table: ProtectedTable): boolean {
  if (expressionReadsProtected(item.filter, table) || expressionReadsProtected(item.ruleExpression, table)) return true
  const ofColumn = item.columnName !== null && hidesColumn(table, item.columnName)
  switch (item.measurementType) {
    case 'MISSING_VALUES':
    case 'DISTINCTNESS_CHECK':
    case 'DUPLICATE_ROWS_CHECK':
    case 'TAG_MATCH':
      return false
    case 'AGGREGATES':
    case 'BUSINESS_MEASURE':
      return ofColumn && item.aggregateType !== 'COUNT'
    case 'SQL_METRIC': {
      const sql = item.value?.sql
      if (typeof sql !== 'string') return table.mask !== null
      if (mayReadHidden(sql, { ...readable(table), table: 'asset' })) return true
      return (tablesMeantBy(item) ?? [undefined]).some((name) => table.hidesTable(name))
    }
    case 'VALUES_IN_LOOKUP': {
      const value = itemKinds.VALUES_IN_LOOKUP.value.safeParse(item.value)
      if (!value.success) return true
      return ofColumn || table.hidesLookup(value.data.lookupAssetId, value.data.lookupColumnName)
    }
    case 'UDF_PREDICATE':
      return ofColumn || udfReadsProtected(item, table)
    case 'REGEX_MATCH':
    case 'VALUES_IN_LIST':
    case 'DATATYPE_MATCH':
    case 'RANGE_MATCH':
    case 'SIZE_CHECK':
    case 'PRECISION_SCALE_CHECK':
    case 'FRESHNESS_CHECK':
    case 'CUSTOM':
      return ofColumn
    default:
      return item.measurementType satisfies never
  }
}

function udfReadsProtected(item: ReadingItem, table: ProtectedTable): boolean {
  if (table.mask === null) return false
  const value = itemKinds.UDF_PREDICATE.value.safeParse(item.value)
  const template = value.success ? table.udf(value.data.udfId) : undefined
  if (!value.success || template === undefined) return true
  const given = givenParameters(value.data.parameters)
  const columns = template.variables.flatMap(({ key, value: usual, isColumnVariable }): [string, string][] => {
    const one = given.get(key)
    const isColumn = one?.isColumnVariable ?? isColumnVariable
    const name = one?.value ?? usual
    if (!isColumn || name === null) return []
    return [[key, findColumnPath(table.columns, name)?.column ?? name]]
  })
  return expressionReadsProtected(template.code, table, Object.fromEntries(columns))
}

import type { ListedValues } from '../../plan.ts'
import { isNumeric, isTemporal, type LogicalType } from '../../types/logical-type.ts'
import { parseType } from '../../types/parse-type.ts'
import type { Dialect } from '../dialect.ts'
import { quoteName } from '../quote.ts'
import type { Column } from './column.ts'

/** A column with the allowed values. */
export interface LookupTable {
  /** SQL for FROM. */
  relation: string
  value: Column
}

/** The name of the type of values from another source, which are texts whatever their type was there. */
const listedType = 'listed'

function instantKey(column: Column): string {
  return column.type.kind === 'text' ? column.dialect.timestamp(column.text) : column.dialect.asTimestamp(column.sql)
}

/**
 * The key by which values of two columns are compared. It is the value itself if both columns have the same type or are
 * integers, and the text if both are texts. Otherwise it is the digits of a number, the instant of a date or time, and the
 * text of any other value. If one column is a number or a time and the other is text, the text is parsed.
 */
function keyFor(column: Column, other: Column): string {
  const [mine, theirs] = [column.type, other.type]
  const keyOf = (text: string) => column.dialect.shortKey?.(text) ?? text
  if (mine.kind === 'text' && theirs.kind === 'text') return keyOf(column.text)
  if (column.dataType === other.dataType) return column.sql
  if (mine.kind === 'integer' && theirs.kind === 'integer')
    return [column.dataType, other.dataType].includes(listedType) ? keyOf(column.text) : column.sql
  const isText = mine.kind === 'text' || theirs.kind === 'text'
  const both = (is: (type: LogicalType) => boolean) => (is(mine) || is(theirs)) && (isText || (is(mine) && is(theirs)))
  if (both(isNumeric)) return keyOf(column.dialect.numberKey(column.text))
  if (both(isTemporal)) return instantKey(column)
  return keyOf(column.text)
}

/** True if the column's value is not in the lookup. NULL gives false, so it passes. */
export function outsideLookup(column: Column, lookup: LookupTable): string {
  const keys = `SELECT entry FROM (SELECT DISTINCT ${keyFor(lookup.value, column)} AS entry FROM ${lookup.relation}) AS entries WHERE entry IS NOT NULL`
  return `(${column.presence} IS NOT NULL AND NOT coalesce(${keyFor(column, lookup.value)} IN (${keys}), false))`
}

/** The column of a lookup table. */
export const lookupColumn = quoteName('assay_value')

const text: LogicalType = { kind: 'text' }

/** A lookup with values of another source, which are texts in SQL. */
export function listedLookup(dialect: Dialect, { dataType, values }: ListedValues): LookupTable {
  const type = parseType(dataType)
  const value = dialect.text(dialect.value(lookupColumn, text), text)
  const of = (sql: string) => ({ name: 'value', dataType: listedType, type, dialect, sql, presence: sql, text: value })
  const relation = dialect.table(values, lookupColumn)
  return { relation, value: of(isTemporal(type) ? dialect.timestamp(value) : value) }
}

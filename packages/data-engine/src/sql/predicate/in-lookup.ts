import { isMoment, isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { quoteName } from '../quote.ts'
import type { Column } from './column.ts'

/** Values that a column may hold, as a table of the run with one column of different values, none of them NULL. */
export interface LookupTable {
  relation: string
  value: Column
}

function momentKey(column: Column): string {
  return column.type.kind === 'text' ? column.dialect.moment(column.text) : `CAST(${column.sql} AS TIMESTAMP)`
}

/**
 * What makes a value of one column comparable with one of the other: the value itself where the types are of one kind, a number
 * by its digits, a date or time by its moment, else the text. Text is a number or a moment where the other side is.
 */
function keyFor(column: Column, other: Column): string {
  const [mine, theirs] = [column.type, other.type]
  if (column.dataType === other.dataType || (mine.kind === 'integer' && theirs.kind === 'integer')) return column.sql
  const isText = mine.kind === 'text' || theirs.kind === 'text'
  const both = (is: (type: LogicalType) => boolean) => (is(mine) || is(theirs)) && (isText || (is(mine) && is(theirs)))
  if (both(isNumeric)) return column.dialect.numberKey(column.text)
  if (both(isMoment)) return momentKey(column)
  return column.text
}

/** True where the column's value is none of the lookup's. NULL gives false: it passes. */
export function outsideLookup(column: Column, lookup: LookupTable): string {
  const keys = `SELECT entry FROM (SELECT DISTINCT ${keyFor(lookup.value, column)} AS entry FROM ${lookup.relation}) WHERE entry IS NOT NULL`
  return `(${column.sql} IS NOT NULL AND NOT coalesce(${keyFor(column, lookup.value)} IN (${keys}), false))`
}

/** The column that a lookup table has. */
export const lookupColumn = quoteName('assay_value')

import { AssayError } from '@assay/service-kit/errors'
import type { ColumnInfo } from '../../port.ts'
import { type ColumnType, columnType } from '../column-type.ts'
import { quoteName } from '../quote.ts'

/** A column as a predicate sees it. */
export interface Column {
  name: string
  dataType: string
  type: ColumnType
  /** SQL of its value. */
  sql: string
  /** SQL of its value as text. */
  text: string
}

/** Finds columns by name: as written, else without regard to case where that is clear. Rejects with `invalid` what is not there. */
export function columnFinder(columns: readonly ColumnInfo[]): (name: string) => Column {
  const exact = new Map(columns.map((column) => [column.name, column]))
  return (name) => {
    const alike = columns.filter((column) => column.name.toLowerCase() === name.toLowerCase())
    const found = exact.get(name) ?? (alike.length === 1 ? alike[0] : undefined)
    if (!found) throw new AssayError('invalid', `The column "${name}" is not in the data.`)
    const sql = quoteName(found.name)
    const text = found.dataType === 'VARCHAR' ? sql : `CAST(${sql} AS VARCHAR)`
    return { name: found.name, dataType: found.dataType, type: columnType(found.dataType), sql, text }
  }
}

/** Whether a column of floats has a finite value for a number. */
export function fitsFloat(column: Column, number: string): boolean {
  return Number.isFinite(column.dataType === 'FLOAT' ? Math.fround(Number(number)) : Number(number))
}

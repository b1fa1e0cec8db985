import { AssayError } from '@assay/service-kit/errors'
import { findColumnPath } from '../../column-path.ts'
import type { ColumnInfo } from '../../port.ts'
import type { LogicalType } from '../../types/logical-type.ts'
import { parseType } from '../../types/parse-type.ts'
import { quoteName, textLiteral } from '../quote.ts'

/** A column as a predicate sees it. */
export interface Column {
  name: string
  dataType: string
  type: LogicalType
  /** SQL of its value. */
  sql: string
  /** SQL of its value as text. */
  text: string
  /** Whether it is a field of a structure: statistics of stored columns do not hold for it. */
  isField?: true
}

/** SQL of a value as text. */
export function asText(type: LogicalType, sql: string): string {
  return type.kind === 'text' && type.values === undefined ? sql : `CAST(${sql} AS VARCHAR)`
}

const alike: NonNullable<Parameters<typeof findColumnPath>[2]> = (named, name) => {
  const exact = named.find((one) => one.name === name)
  if (exact !== undefined) return exact
  const similar = named.filter((one) => one.name.toLowerCase() === name.toLowerCase())
  return similar.length === 1 ? similar[0] : undefined
}

/**
 * Finds columns, and fields of structures (`address.city`), by name: as written, else without regard to case where that is clear.
 * Rejects with `invalid` what is not there.
 */
export function columnFinder(columns: readonly ColumnInfo[]): (name: string) => Column {
  const exact = new Map(columns.map((column) => [column.name, column]))
  return (name) => {
    const known = exact.get(name)
    const found = known
      ? { column: known.name, fields: [], dataType: known.dataType }
      : findColumnPath(columns, name, alike)
    if (!found) throw new AssayError('invalid', `The column "${name}" is not in the data.`)
    const { dataType, fields } = found
    const sql = `${quoteName(found.column)}${fields.map((field) => `[${textLiteral(field)}]`).join('')}`
    const type = parseType(dataType)
    const column = { name: fields.length === 0 ? found.column : name, dataType, type, sql, text: asText(type, sql) }
    return fields.length === 0 ? column : { ...column, isField: true }
  }
}

/** Whether a type of floats has a finite value for a number. */
export function fitsFloat({ bits }: Extract<LogicalType, { kind: 'float' }>, number: string): boolean {
  return Number.isFinite(bits === 32 ? Math.fround(Number(number)) : Number(number))
}

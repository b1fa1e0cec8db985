import { AssayError } from '@assay/service-kit/errors'
import { findColumnPath } from '../../column-path.ts'
import type { ColumnInfo } from '../../port.ts'
import type { LogicalType } from '../../types/logical-type.ts'
import type { Dialect } from '../dialect.ts'
import { quoteName } from '../quote.ts'

/** A column as predicates see it. */
export interface Column {
  name: string
  dataType: string
  type: LogicalType
  dialect: Dialect
  /** SQL of its value. */
  sql: string
  /** SQL that is NULL for the same rows as the value. */
  presence: string
  /** SQL of its value as text. */
  text: string
  /** Whether it is a field of a structure, for which column statistics do not apply. */
  isField?: true
}

/** The column with this name, else the only one with this name in another case. Pure. */
export function alike<Named extends { name: string }>(named: readonly Named[], name: string): Named | undefined {
  const exact = named.find((one) => one.name === name)
  if (exact !== undefined) return exact
  const similar = named.filter((one) => one.name.toLowerCase() === name.toLowerCase())
  return similar.length === 1 ? similar[0] : undefined
}

/**
 * Finds columns, and fields of structures (`address.city`), by exact name. If no name matches, ignores case, provided
 * that the result is unambiguous. Throws `invalid` for unknown names.
 */
export function columnFinder(columns: readonly ColumnInfo[], dialect: Dialect): (name: string) => Column {
  const exact = new Map(columns.map((column) => [column.name, column]))
  return (name) => {
    const known = exact.get(name)
    const found = known
      ? { column: known.name, fields: [], dataType: known.dataType }
      : findColumnPath(columns, name, alike)
    if (!found) throw new AssayError('invalid', `The column "${name}" is not in the data.`)
    const { dataType, fields } = found
    const type = dialect.parseType(dataType)
    const stored = dialect.field(quoteName(found.column), fields)
    const sql = dialect.value(stored, type)
    const presence = dialect.presence?.(stored, type) ?? sql
    const text = dialect.text(sql, type)
    const column = { name: fields.length === 0 ? found.column : name, dataType, type, dialect, sql, presence, text }
    return fields.length === 0 ? column : { ...column, isField: true }
  }
}

/** Whether a float type has a finite value for a number. */
export function fitsFloat({ bits }: Extract<LogicalType, { kind: 'float' }>, number: string): boolean {
  return Number.isFinite(bits === 32 ? Math.fround(Number(number)) : Number(number))
}

import type { SqlValue } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { Condition, FieldValue } from '../port.ts'
import { foldedCase, prefixEnd } from '../text.ts'
import type { Table } from './table.ts'

/** A piece of SQL and the values of its placeholders. */
export interface Sql {
  text: string
  values: readonly SqlValue[]
}

/** The bound form of a field's value, also for comparison. */
export function bound(value: FieldValue): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? value.toWellFormed() : value
}

/**
 * Placeholders `?, ?, …` for `values`. The last value is repeated until their number is a power of two, so that a few
 * prepared statements serve all lengths.
 */
function list(values: readonly SqlValue[]): Sql {
  const last = values.at(-1)
  if (last === undefined) return { text: '', values: [] }
  const padded = [...values]
  while ((padded.length & (padded.length - 1)) !== 0) padded.push(last)
  return { text: padded.map(() => '?').join(', '), values: padded }
}

function inSql(column: string, asked: readonly FieldValue[]): Sql {
  const { text, values } = list(asked.filter((value) => value !== null).map(bound))
  const some = `${column} IN (${text})`
  if (!asked.includes(null)) return { text: some, values }
  return { text: values.length === 0 ? `${column} IS NULL` : `(${some} OR ${column} IS NULL)`, values }
}

function rangeSql(column: string, from: string | number | undefined, to: string | number | undefined): Sql {
  const parts: string[] = []
  if (from !== undefined) parts.push(`${column} >= ?`)
  if (to !== undefined) parts.push(`${column} <= ?`)
  // Only without a bound: with one, SQLite might start the index range at this condition instead of the bound.
  if (parts.length === 0) parts.push(`${column} IS NOT NULL`)
  return { text: parts.join(' AND '), values: [from, to].filter((value) => value !== undefined).map(bound) }
}

function prefixSql(column: string, prefix: string): Sql {
  const from = prefix.toWellFormed()
  const end = prefixEnd(from)
  if (end === undefined) return { text: `${column} >= ?`, values: [from] }
  return { text: `${column} >= ? AND ${column} < ?`, values: [from, end] }
}

function conditionSql(table: Table, condition: Condition, sign: '' | '+'): Sql {
  const column = `${sign}${table.column(condition.field)}`
  if ('is' in condition) {
    // Unlike =, IS also finds NULL, and it also uses the index. But SQLite uses an index without NULL only for =.
    const isEqual = condition.is !== null && table.isSparse(condition.field)
    return { text: `${column} ${isEqual ? '=' : 'IS'} ?`, values: [bound(condition.is)] }
  }
  if ('not' in condition) return { text: `${column} IS NOT ?`, values: [bound(condition.not)] }
  if ('in' in condition) return inSql(column, condition.in)
  if ('prefix' in condition) return prefixSql(column, condition.prefix)
  if ('contains' in condition)
    // The index skips documents without the field.
    return {
      text: `(${column} IS NOT NULL AND instr(${table.foldedColumn(condition.field)}, ?) > 0)`,
      values: [foldedCase(condition.contains)],
    }
  return rangeSql(column, condition.from, condition.to)
}

/**
 * The conditions as SQL. `where` must be checked. `upTo` is the highest rowid to include; rowids count insertions. `by`
 * is the only condition that may use an index.
 */
export function whereSql(table: Table, where: readonly Condition[], upTo?: number, by?: Condition): Sql {
  const parts = where.map((condition) =>
    conditionSql(table, condition, by === undefined || by === condition ? '' : '+'),
  )
  // The unary plus stops SQLite from scanning the table by rowid instead of using an index.
  if (upTo !== undefined) parts.push({ text: `+${table.name}.rowid <= ?`, values: [upTo] })
  return {
    text: ['removed = 0', ...parts.map((part) => part.text)].join(' AND '),
    values: parts.flatMap((part) => part.values),
  }
}

/**
 * The conditions as SQL on the groups of the stored counts. `undefined` if conditions or facets use a field whose value
 * differs within a group.
 */
export function groupsSql(
  table: Table,
  where: readonly Condition[],
  facets: readonly { column: string }[],
): Sql | undefined {
  const included = table.search?.includedColumns ?? []
  // Folded text is not stored with the groups.
  const isIncluded = (condition: Condition) =>
    !('contains' in condition) && included.includes(table.column(condition.field))
  const isKept = where.every(isIncluded) && facets.every(({ column }) => included.includes(column))
  return isKept ? whereSql(table, where) : undefined
}

/**
 * Conditions on indexed fields that are not included fields. `alone`: only the condition. `all`: all conditions, using
 * its index.
 */
export function perhapsFewSql(table: Table, where: readonly Condition[], upTo?: number): { alone: Sql; all: Sql }[] {
  const included = table.search?.includedColumns ?? []
  const isFound = (condition: Condition) =>
    !('contains' in condition || 'not' in condition) &&
    table.isIndexed(condition) &&
    !included.includes(table.column(condition.field))
  return where.filter(isFound).map((condition) => ({
    alone: whereSql(table, [condition]),
    all: whereSql(table, where, upTo, condition),
  }))
}

/**
 * `ORDER BY` of a checked query: documents without the field come last when ascending, first when descending.
 * `byNoIndex`: SQLite must sort the result, even if an index has that order.
 */
export function orderSql(table: Table, sort: CheckedQuery['sort'], byNoIndex = false): string {
  const sign = byNoIndex ? '+' : ''
  const key = (field: string, descending: boolean): string => {
    const direction = descending ? 'DESC' : 'ASC'
    // NULLS FIRST or LAST is written only for nullable fields, because with it SQLite uses only the first field of an
    // index.
    if (table.isRequired(field)) return `${sign}${table.column(field)} ${direction}`
    return `${sign}${table.column(field)} ${direction} NULLS ${descending ? 'FIRST' : 'LAST'}`
  }
  return sort.map(({ field, direction }) => key(field, direction === 'desc')).join(', ')
}

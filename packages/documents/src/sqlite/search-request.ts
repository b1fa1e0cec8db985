import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlValue } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { FieldValue } from '../port.ts'
import type { Sql } from './filter.ts'
import type { SearchTable } from './table.ts'

/** A search as plain data, for the worker. */
export interface SearchRequest {
  /** The name of the live table. */
  table: string
  search: SearchTable
  tenant: string
  text: string
  /** The conditions, except the tenant. */
  where: Sql
  /** The highest rowid that `where` includes, if it has such a bound. */
  upTo: number | undefined
  /**
   * The same conditions without that bound, if they and the facets use only included fields. The stored counts can
   * answer these.
   */
  ofGroups: Sql | undefined
  /**
   * If the stored counts cannot answer: conditions that may be selective. Each is given alone, and together with all
   * other conditions, using its index.
   */
  perhapsFew: readonly { alone: Sql; all: Sql }[]
  /** `ORDER BY`. Default: by how well the name matches. */
  order: string | undefined
  page: CheckedQuery['page']
  size: CheckedQuery['size']
  maxBytes?: CheckedQuery['maxBytes']
  boosts: ReadonlyMap<string | number, number>
  /** The columns of the facets. */
  facets: readonly { field: string; column: string; isBoolean: boolean }[]
}
/** A count or a page, as plain data for the worker. */
export interface CountRequest {
  /** A statement that returns one number, or rows that consist of one text. */
  sql: string
  values: readonly SqlValue[]
  /** Only for a page. */
  maxBytes?: number | undefined
}
export interface SearchAnswer {
  bodies: string[]
  /** Whether the page exceeds its size limit. `bodies` then has its first texts. */
  isCut?: boolean
  count: number
  isCountCapped: boolean
  isFacetCapped: boolean
  facets: { [field: string]: { value: FieldValue; count: number }[] }
}

export type Value = string | number | bigint | null
export type Row = readonly Value[]

/** Prepared statements by their text. Their number is small. */
export type Prepare = (sql: string) => StatementSync

/** A cache of prepared statements for one connection. */
export function preparing(database: DatabaseSync): Prepare {
  const known = new Map<string, StatementSync>()
  return (sql) => {
    const before = known.get(sql)
    if (before !== undefined) return before
    const made = database.prepare(sql)
    made.setReturnArrays(true)
    if (known.size >= 500) known.clear()
    known.set(sql, made)
    return made
  }
}

/** Runs a statement and returns its rows as arrays. */
export type All = (sql: string, ...values: readonly SqlValue[]) => Row[]

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'

const isRow = (row: unknown): row is Row => Array.isArray(row) && row.every(isValue)

/**
 * Once `setReturnArrays` is on, the driver returns arrays. Its types do not express this, so the first row is checked.
 */
export function reading(prepare: Prepare): All {
  return (sql, ...values) => {
    const rows: readonly unknown[] = prepare(sql).all(...values)
    const isArrays = (all: readonly unknown[]): all is Row[] => all.length === 0 || isRow(all[0])
    if (!isArrays(rows)) throw new TypeError('Rows of a search must be arrays of texts and numbers.')
    return rows
  }
}

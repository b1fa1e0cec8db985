import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlValue } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { FieldValue } from '../port.ts'
import type { Sql } from './filter.ts'
import type { SearchTable } from './table.ts'

/** A search as it goes to the worker: plain data. */
export interface SearchRequest {
  /** The live table, and its columns for searching. */
  table: string
  search: SearchTable
  tenant: string
  text: string
  /** Conditions without the tenant. */
  where: Sql
  /** The highest rowid that `where` lets through, if it has such a bound. */
  upTo: number | undefined
  /** The same conditions without that bound, where they and the facets name kept fields only: kept counts answer them. */
  ofGroups: Sql | undefined
  /**
   * Where a search cannot go by kept counts: conditions that perhaps few documents fulfil, each as an index finds it, and
   * with all the others.
   */
  perhapsFew: readonly { alone: Sql; all: Sql }[]
  /** `ORDER BY`; absent: by how well a name fits. */
  order: string | undefined
  page: CheckedQuery['page']
  size: CheckedQuery['size']
  maxBytes?: CheckedQuery['maxBytes']
  boosts: ReadonlyMap<string | number, number>
  /** Columns to count the values of. */
  facets: readonly { field: string; column: string; isBoolean: boolean }[]
}
/** A count, or a page, as it goes to the worker. */
export interface CountRequest {
  /** A statement that gives one number, or rows of one text. */
  sql: string
  values: readonly SqlValue[]
  /** Of a page. */
  maxBytes?: number | undefined
}
export interface SearchAnswer {
  bodies: string[]
  /** The page is larger than it may be, and these are the first of it. */
  isCut?: boolean
  count: number
  isCountCapped: boolean
  isFacetCapped: boolean
  facets: { [field: string]: { value: FieldValue; count: number }[] }
}

export type Value = string | number | bigint | null
export type Row = readonly Value[]

/** Statements by their text. Forms are few. */
export type Prepare = (sql: string) => StatementSync

/** A preparer that remembers, for a connection of its own. */
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

/** Runs a statement and answers its rows as arrays. */
export type All = (sql: string, ...values: readonly SqlValue[]) => Row[]

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'

const isRow = (row: unknown): row is Row => Array.isArray(row) && row.every(isValue)

/** The driver answers arrays once `setReturnArrays` is on; its types do not know that, so the first row is looked at. */
export function reading(prepare: Prepare): All {
  return (sql, ...values) => {
    const rows: readonly unknown[] = prepare(sql).all(...values)
    const isArrays = (all: readonly unknown[]): all is Row[] => all.length === 0 || isRow(all[0])
    if (!isArrays(rows)) throw new TypeError('Rows of a search are read as arrays of texts and numbers.')
    return rows
  }
}

import type { RelationLocator } from '../locators.ts'
import type { ColumnInfo } from '../port.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { Fragment } from '../sql/fragment.ts'

/** A value as the server writes it, with the server's number for its type. */
export interface Cell {
  text: string | null
  type: number
}

/** The type of a result. `name` is for messages. */
export interface ResultType {
  isBoolean: boolean
  isNumber: boolean
  /** Number of columns of the statement. */
  columns: number
  name(): Promise<string>
  /** All columns, with the names of their types as a table's columns have them. */
  described(): Promise<ColumnInfo[]>
}

/** A read-only session of a run, on one snapshot. */
export interface Connection {
  /** Returns all rows. After an error, the session remains usable. */
  read(statement: Fragment): Promise<Cell[][]>
  /**
   * Rows in parts of at most `rows`, so that memory does not grow with the number of rows. If this is absent, rows
   * cannot be stored.
   */
  stream?(statement: Fragment, rows: number): AsyncIterable<Cell[][]>
  /** The type of a statement's first column. Reads no rows. */
  typeOf(statement: Fragment): Promise<ResultType>
  /**
   * The tables and views that a statement reads, directly or through views. Reads no rows. Absent if the catalog of the
   * server says it.
   */
  references?(statement: Fragment): Promise<{ catalog: string; schema: string; table: string }[]>
  close(): Promise<void>
}

/** A readable table, or the rows of a SELECT over tables. */
export interface Session {
  connection: Connection
  /** The table; for a SELECT, one of its tables. */
  locator: RelationLocator
  columns: ColumnInfo[]
  /** Names of the columns that are never NULL. */
  required: ReadonlySet<string>
  /** SQL for FROM. */
  relation: string
  dialect: Dialect
}

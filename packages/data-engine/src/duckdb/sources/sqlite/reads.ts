import { constants, type DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../sql/quote.ts'
import type { SqliteTable } from './file.ts'

/**
 * Internal names that reveal no values of users' tables: JSON functions, the structure of the database, counters and
 * counts. `sqlite_stat4` and its predecessors are excluded, because they contain values of indexed columns.
 */
const withoutRows = /^(?:json_each|json_tree|sqlite_schema|sqlite_master|sqlite_sequence|sqlite_stat1|pragma_.*)$/

/**
 * The tables and views that a view reads, directly or through other views. SQLite's authorizer reports each of them
 * while a SELECT is prepared. `tables`: the tables of the file. Returns `null` if the view reads anything else, or
 * cannot be prepared.
 */
export function sqliteReads(
  database: DatabaseSync,
  view: SqliteTable,
  tables: readonly SqliteTable[],
): SqliteTable[] | null {
  // Names of tables are compared without case.
  const known = new Map(tables.map((table) => [table.name.toLowerCase(), table]))
  const reported = new Set<string>()
  database.setAuthorizer((action, table, column) => {
    const name = table?.toLowerCase()
    if (action !== constants.SQLITE_READ || name === undefined) return constants.SQLITE_OK
    // If a table or common table expression is read only to count its rows, SQLite reports the column ''.
    if (column !== '' || known.has(name)) reported.add(name)
    return constants.SQLITE_OK
  })
  try {
    database.prepare(`SELECT * FROM main.${quoteName(view.name)}`)
  } catch {
    return null
  } finally {
    database.setAuthorizer(null)
  }
  reported.delete(view.name.toLowerCase())
  const reads = [...reported]
    .filter((name) => known.has(name) || !withoutRows.test(name))
    .map((name) => known.get(name))
  const found = reads.filter((table) => table !== undefined)
  return found.length === reads.length ? found : null
}

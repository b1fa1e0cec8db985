import { constants, type DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../sql/quote.ts'
import type { SqliteTable } from './file.ts'

/**
 * Names without rows of users' tables: JSON functions, the structure of the database, counters and counts. Not
 * `sqlite_stat4` and its predecessors, which hold values of indexed columns.
 */
const withoutRows = /^(?:json_each|json_tree|sqlite_schema|sqlite_master|sqlite_sequence|sqlite_stat1|pragma_.*)$/

/**
 * The tables and views that a view reads, directly or through other views: SQLite asks for authorization for each while
 * it prepares a SELECT. `tables`: those of the file. `null` if it reads something else, or cannot be prepared.
 */
export function sqliteReads(
  database: DatabaseSync,
  view: SqliteTable,
  tables: readonly SqliteTable[],
): SqliteTable[] | null {
  // Names of tables are compared without case.
  const known = new Map(tables.map((table) => [table.name.toLowerCase(), table]))
  const asked = new Set<string>()
  database.setAuthorizer((action, table, column) => {
    const name = table?.toLowerCase()
    if (action !== constants.SQLITE_READ || name === undefined) return constants.SQLITE_OK
    // Of what it only counts, SQLite reads the column '', also of a common table expression.
    if (column !== '' || known.has(name)) asked.add(name)
    return constants.SQLITE_OK
  })
  try {
    database.prepare(`SELECT * FROM main.${quoteName(view.name)}`)
  } catch {
    return null
  } finally {
    database.setAuthorizer(null)
  }
  asked.delete(view.name.toLowerCase())
  const reads = [...asked].filter((name) => known.has(name) || !withoutRows.test(name)).map((name) => known.get(name))
  const found = reads.filter((table) => table !== undefined)
  return found.length === reads.length ? found : null
}

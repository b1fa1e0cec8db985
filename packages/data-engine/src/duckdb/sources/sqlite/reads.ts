import { constants, type DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../sql/quote.ts'

/** Names without rows of users' tables: JSON functions, and the structure of the database. */
const withoutRows = /^(?:json_each|json_tree|sqlite_schema|sqlite_master|pragma_.*)$/

/**
 * Names of the tables and views that a view reads, directly or through other views: SQLite asks for authorization for
 * each while it prepares a SELECT. `names`: the tables and views of the file. `null` if it reads something else, or
 * cannot be prepared.
 */
export function sqliteReads(database: DatabaseSync, view: string, names: readonly string[]): string[] | null {
  const asked = new Set<string>()
  database.setAuthorizer((action, table) => {
    if (action === constants.SQLITE_READ && table !== null) asked.add(table.toLowerCase())
    return constants.SQLITE_OK
  })
  try {
    database.prepare(`SELECT * FROM main.${quoteName(view)}`)
  } catch {
    return null
  } finally {
    database.setAuthorizer(null)
  }
  // Names of tables are compared without case.
  const known = new Map(names.map((name) => [name.toLowerCase(), name]))
  asked.delete(view.toLowerCase())
  const reads = [...asked].filter((name) => known.has(name) || !withoutRows.test(name)).map((name) => known.get(name))
  const found = reads.filter((name) => name !== undefined)
  return found.length === reads.length ? found : null
}

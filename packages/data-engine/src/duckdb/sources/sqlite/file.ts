import { DatabaseSync } from 'node:sqlite'
import type { PathGuard } from '../../../path-access.ts'
import { quoteName } from '../../../sql/quote.ts'
import type { Entry } from '../../../sql/view-reads.ts'
import { unreadable } from '../failures.ts'
import { type DatabaseFile, databaseFile } from '../opened.ts'
import { columnType, type Survey } from './types.ts'

/** How long a reader waits for a lock that a writer holds, in milliseconds. */
const BUSY_MS = 3_000

export interface SqliteTable extends Entry {
  name: string
}

export interface SqliteColumn {
  name: string
  declared: string | null
  nullable: boolean
}

/**
 * Opens a SQLite file for reading and closes it after `use`. `root`: the folder that must contain it. Integers are
 * returned as bigint. Throws `unprocessable`.
 */
export async function withSqlite<T>(
  path: string,
  guard: PathGuard,
  use: (database: DatabaseSync, file: DatabaseFile) => Promise<T>,
  root?: string,
): Promise<T> {
  const file = await databaseFile(path, guard, root)
  let database: DatabaseSync | null = null
  try {
    // Settings that would let a schema call functions of its own, or load extensions, stay off.
    database = new DatabaseSync(file.path, {
      readOnly: true,
      timeout: BUSY_MS,
      allowExtension: false,
      readBigInts: true,
    })
    database.exec('PRAGMA trusted_schema = OFF')
    return await use(database, file)
  } catch (error) {
    throw unreadable(error, file.name)
  } finally {
    database?.close()
  }
}

/** Tables and views by name, without SQLite's own. */
export function sqliteTables(database: DatabaseSync): SqliteTable[] {
  const rows = database
    .prepare(
      "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
  return rows.map((row) => {
    const isView = row.type === 'view'
    return {
      name: String(row.name),
      assetType: isView ? 'VIEW' : 'TABLE',
      definition: isView ? String(row.sql) : '',
    }
  })
}

export function sqliteColumns(database: DatabaseSync, table: string): SqliteColumn[] {
  const rows = database
    .prepare('SELECT name, type, "notnull" AS required, hidden FROM pragma_table_xinfo(?)')
    .all(table)
  return rows
    .filter((row) => Number(row.hidden) !== 1)
    .map((row) => ({
      name: String(row.name),
      declared: row.type === null || row.type === '' ? null : String(row.type),
      nullable: Number(row.required) === 0,
    }))
}

/** Maximum number of expressions per statement, well below SQLite's limit of 2,000 result columns. */
const COLUMNS_AT_ONCE = 150

function surveySql(name: string, index: number): string {
  const c = quoteName(name)
  const spaced = `replace(${c}, 'T', ' ')`
  return [
    `sum(typeof(${c}) = 'integer') AS i${index}`,
    `sum(typeof(${c}) = 'real') AS r${index}`,
    `sum(typeof(${c}) = 'text') AS t${index}`,
    `sum(typeof(${c}) = 'blob') AS b${index}`,
    `min(CASE WHEN typeof(${c}) = 'integer' THEN ${c} END) AS l${index}`,
    `max(CASE WHEN typeof(${c}) = 'integer' THEN ${c} END) AS g${index}`,
    `sum(typeof(${c}) = 'text' AND date(${c}) = ${c}) AS d${index}`,
    `sum(typeof(${c}) = 'text' AND datetime(${spaced}) = substr(${spaced}, 1, 19)
      AND (length(${c}) = 19 OR (length(${c}) BETWEEN 21 AND 26 AND substr(${c}, 20, 1) = '.' AND substr(${c}, 21) NOT GLOB '*[^0-9]*'))) AS s${index}`,
  ].join(', ')
}

/** Counts the rows and determines the type of each column from all its values. */
export function surveyTable(
  database: DatabaseSync,
  table: string,
  columns: readonly SqliteColumn[],
): { rows: number; types: string[] } {
  const types: string[] = []
  let rows = 0
  for (let first = 0; first < columns.length; first += COLUMNS_AT_ONCE) {
    const some = columns.slice(first, first + COLUMNS_AT_ONCE)
    const selected = some.map(({ name }, index) => surveySql(name, index)).join(', ')
    const row = database.prepare(`SELECT count(*) AS n, ${selected} FROM main.${quoteName(table)}`).get() ?? {}
    rows = Number(row.n ?? 0)
    some.forEach(({ declared }, index) => {
      const count = (letter: string) => Number(row[`${letter}${index}`] ?? 0)
      const bound = (letter: string) => {
        const value = row[`${letter}${index}`]
        return typeof value === 'bigint' ? value : null
      }
      const survey: Survey = {
        integers: count('i'),
        reals: count('r'),
        texts: count('t'),
        blobs: count('b'),
        least: bound('l'),
        greatest: bound('g'),
        dates: count('d'),
        timestamps: count('s'),
      }
      types.push(columnType(declared, survey))
    })
  }
  return { rows, types }
}

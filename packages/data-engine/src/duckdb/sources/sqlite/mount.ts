import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { DuckDBAppender } from '@duckdb/node-api'
import type { FileTableLocator } from '../../../locators.ts'
import { quoteName } from '../../../sql/quote.ts'
import { requireSameDefinition } from '../../../sql/view-reads.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import { refused } from '../failures.ts'
import { rowsOf } from '../sql.ts'
import { noWarnings } from '../warnings.ts'
import { sqliteColumns, sqliteTables, surveyTable, withSqlite } from './file.ts'
import { sqliteReads } from './reads.ts'

/** Number of rows between two checks of the signal, and between two flushes. */
const BATCH = 2_000
const FLUSH = 100_000

const SCHEMA = '"assay_source"'

/**
 * A value as text, for text columns. Numbers have all digits that distinguish them (SQLite itself writes fifteen).
 * Whole numbers have no point, because 7 and 7.0 are equal. Blobs are `X'07'`, because bare hex digits could look like
 * a number.
 */
function textOf(value: Exclude<SQLOutputValue, null>): string {
  return value instanceof Uint8Array ? `X'${Buffer.from(value).toString('hex')}'` : String(value)
}

function appendValue(appender: DuckDBAppender, dataType: string, value: SQLOutputValue): void {
  if (value === null) appender.appendNull()
  else if (dataType === 'BIGINT') appender.appendBigInt(BigInt(value as bigint))
  else if (dataType === 'BOOLEAN') appender.appendBoolean(Number(value) === 1)
  else if (dataType === 'DOUBLE') appender.appendDouble(Number(value))
  else if (dataType === 'BLOB' && value instanceof Uint8Array) appender.appendBlob(value)
  else appender.appendVarchar(textOf(value))
}

/** Dates and times are appended as text and cast at the end. */
function appendedAs(dataType: string): string {
  return dataType === 'DATE' || dataType === 'TIMESTAMP' ? 'VARCHAR' : dataType
}

async function copy(
  context: MountContext,
  database: DatabaseSync,
  table: string,
  target: string,
  columns: readonly { name: string; dataType: string }[],
  total: number | null,
): Promise<void> {
  const appender = await context.connection.createAppender(target, 'assay_source')
  try {
    // A REAL is returned as a number and an INTEGER as a bigint.
    const selected = columns.map(({ name }) => quoteName(name))
    const statement = database.prepare(`SELECT ${selected.join(', ')} FROM main.${quoteName(table)}`)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    const types = columns.map(({ dataType }) => appendedAs(dataType))
    let rows = 0
    for (const row of statement.iterate() as Iterable<unknown>) {
      // With `setReturnArrays`, a row is an array of values, but the types of node:sqlite describe only objects.
      const values = row as SQLOutputValue[]
      types.forEach((dataType, index) => {
        appendValue(appender, dataType, values[index] ?? null)
      })
      appender.endRow()
      rows += 1
      if (rows % FLUSH === 0) appender.flushSync()
      if (rows % BATCH === 0) {
        if (total !== null && total > 0) context.onProgress?.(Math.min(1, rows / total))
        await setImmediate()
        context.signal.throwIfAborted()
      }
    }
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

/**
 * Copies one table or view of a SQLite file into the run's database, in batches. Refuses a redefined view. If the file
 * is unchanged, columns have the types of the crawl; otherwise the types are determined from all values. No value is
 * lost: a column with values of several types is text.
 */
export function mountSqlite(context: MountContext, locator: FileTableLocator): Promise<Mounted> {
  return withSqlite(
    locator.path,
    context.guard,
    async (database, file) => {
      const { connection } = context
      // One snapshot for comparing definitions, determining types and copying.
      database.exec('BEGIN')
      try {
        const tables = sqliteTables(database)
        const table = tables.find(({ name }) => name === locator.table)
        if (table === undefined)
          throw refused(locator.table, `is no longer a table of ${file.name}: crawl the source again`)
        requireSameDefinition(table, locator.definition, (view) => sqliteReads(database, view, tables))
        const known = file.fingerprint === locator.fingerprint
        const found = sqliteColumns(database, locator.table)
        const survey = known ? null : surveyTable(database, locator.table, found)
        const columns = known
          ? locator.columns
          : found.map(({ name }, index) => ({ name, dataType: survey?.types[index] ?? 'VARCHAR' }))
        const [counted] = await rowsOf(
          connection,
          "SELECT count(*) AS n FROM information_schema.tables WHERE table_schema = 'assay_source'",
        )
        const target = `table_${Number(counted?.n ?? 0)}`
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
        const relation = `${SCHEMA}.${quoteName(target)}`
        const definitions = columns.map(({ name, dataType }) => `${quoteName(name)} ${appendedAs(dataType)}`)
        await connection.run(`CREATE TABLE ${relation} (${definitions.join(', ')})`)
        await copy(context, database, locator.table, target, columns, survey?.rows ?? null)
        for (const { name, dataType } of columns) {
          if (appendedAs(dataType) === dataType) continue
          await connection.run(`ALTER TABLE ${relation} ALTER COLUMN ${quoteName(name)} TYPE ${dataType}`)
        }
        return {
          relation,
          columns: columns.map((column) => ({ ...column })),
          required: async () => new Set(found.filter(({ nullable }) => !nullable).map(({ name }) => name)),
          warnings: noWarnings,
          allowedDirectories: [],
        }
      } finally {
        database.exec('ROLLBACK')
      }
    },
    locator.root,
  )
}

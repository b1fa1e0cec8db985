import { messageOf } from '@assay/service-kit/errors'
import type { MountContext } from '../../mount.ts'
import type { Emit } from '../emit.ts'
import { unreadable } from '../failures.ts'
import { databaseName } from '../opened.ts'
import { inReadingOrder } from '../view-reads.ts'
import { noWarnings } from '../warnings.ts'
import { type SqliteTable, sqliteColumns, sqliteTables, surveyTable, withSqlite } from './file.ts'
import { sqliteReads } from './reads.ts'

/** How many tables and views a SQLite file has. Errors: `unprocessable`. */
export function probeSqlite(path: string, root?: string): Promise<{ tables: number }> {
  return withSqlite(path, async (database) => ({ tables: sqliteTables(database).length }), root)
}

/** Crawls a SQLite file: every value is looked at, since SQLite types values and not columns. */
export function discoverSqlite(context: MountContext, path: string, emit: Emit, root?: string): Promise<void> {
  return withSqlite(
    path,
    async (database, file) => {
      const tables = sqliteTables(database)
      const name = databaseName(file)
      emit({ kind: 'found', tables: tables.length })
      emit({ kind: 'container', path: [], name, assetType: 'DATABASE' })
      emit({ kind: 'container', path: [name], name: 'main', assetType: 'SCHEMA' })
      const byName = new Map(tables.map((table) => [table.name, table]))
      const direct = (view: SqliteTable) =>
        sqliteReads(database, view.name, [...byName.keys()])?.flatMap((read) => byName.get(read) ?? []) ?? null
      for (const { entry: table, reads } of inReadingOrder(tables, direct)) {
        context.signal.throwIfAborted()
        try {
          const columns = sqliteColumns(database, table.name)
          const { rows, types } = surveyTable(database, table.name, columns)
          const typed = columns.map((column, index) => ({ name: column.name, dataType: types[index] ?? 'VARCHAR' }))
          // Awaited: messages and cancellations get their turn, and nothing piles up.
          await emit({
            kind: 'table',
            path: [name, 'main'],
            name: table.name,
            assetType: table.assetType,
            locator: {
              kind: 'table',
              engine: 'SQLITE',
              path: file.path,
              schema: 'main',
              table: table.name,
              columns: typed,
              fingerprint: file.fingerprint,
            },
            columns: typed.map((column, index) => ({
              ...column,
              nullable: columns[index]?.nullable ?? true,
              children: [],
            })),
            rowCount: rows,
            sizeBytes: null,
            lastChangedAt: file.lastChangedAt,
            fileCount: null,
            warnings: noWarnings,
            ...(reads === undefined ? {} : { reads: reads.map((read) => [name, 'main', read.name]) }),
          })
        } catch (error) {
          emit({ kind: 'failed', path: table.name, message: messageOf(unreadable(error, table.name, file.folder)) })
        }
      }
    },
    root,
  )
}

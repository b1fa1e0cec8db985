import type { SkippedFiles } from '../../../dataset.ts'
import { inReadingOrder } from '../../../sql/view-reads.ts'
import type { MountContext } from '../../mount.ts'
import { viewMs } from '../crawl-position.ts'
import type { Emit } from '../emit.ts'
import { failedAt } from '../failures.ts'
import { nothingSkipped } from '../files/unread.ts'
import { databaseName } from '../opened.ts'
import { noWarnings } from '../warnings.ts'
import { sqliteColumns, sqliteTables, surveyTable, withSqlite } from './file.ts'
import { sqliteReads } from './reads.ts'

/** The number of tables and views in a SQLite file. Throws `unprocessable`. */
export function probeSqlite(
  { guard }: Pick<MountContext, 'guard'>,
  path: string,
  root?: string,
): Promise<{ tables: number; skipped: SkippedFiles }> {
  return withSqlite(
    path,
    guard,
    async (database) => ({ tables: sqliteTables(database).length, skipped: nothingSkipped }),
    root,
  )
}

/**
 * Crawls a SQLite file; `pathOf` gives the paths of its tables. Reads every value, because in SQLite each value has its
 * own type.
 */
export function discoverSqlite(
  context: MountContext,
  path: string,
  emit: Emit,
  root?: string,
  pathOf: (table: string) => string = (table) => table,
): Promise<void> {
  return withSqlite(
    path,
    context.guard,
    async (database, file) => {
      const tables = sqliteTables(database)
      const name = databaseName(file)
      emit({ kind: 'found', tables: tables.length })
      emit({ kind: 'container', path: [], name, assetType: 'DATABASE' })
      emit({ kind: 'container', path: [name], name: 'main', assetType: 'SCHEMA' })
      const ordered = inReadingOrder(tables, (view) => sqliteReads(database, view, tables))
      for (const { entry: table, reads, definition } of ordered) {
        context.signal.throwIfAborted()
        const isView = table.assetType === 'VIEW'
        if (!(await context.crawl.shouldOpen(pathOf(table.name), isView ? viewMs : undefined))) continue
        try {
          const columns = sqliteColumns(database, table.name)
          const { rows, types } = surveyTable(database, table.name, columns)
          const typed = columns.map((column, index) => ({ name: column.name, dataType: types[index] ?? 'VARCHAR' }))
          // Yields to the event loop, so that messages and cancellations are handled and memory stays bounded.
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
              ...(definition === undefined ? {} : { definition }),
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
          emit(failedAt(table.name, error))
        }
      }
    },
    root,
  )
}

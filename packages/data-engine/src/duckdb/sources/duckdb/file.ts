import { randomBytes } from 'node:crypto'
import type { SkippedFiles } from '../../../dataset.ts'
import type { FileTableLocator } from '../../../locators.ts'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { inReadingOrder, requireSameDefinition } from '../../../sql/view-reads.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import type { Emit } from '../emit.ts'
import { failedAt, refused, unreadable } from '../failures.ts'
import { columnsOf, countRows } from '../files/reading.ts'
import { nothingSkipped } from '../files/unread.ts'
import { type DatabaseFile, databaseFile, databaseName } from '../opened.ts'
import { rowsOf } from '../sql.ts'
import { noWarnings } from '../warnings.ts'
import { type FileEntry, requireHarmlessView } from './harmless.ts'
import { duckdbReads, macrosOf } from './reads.ts'

/** The name of the attached file during a crawl. */
const ATTACHED = 'assay_attached'

async function attach(context: MountContext, path: string, alias: string, root?: string): Promise<DatabaseFile> {
  const file = await databaseFile(path, context.guard, root)
  try {
    await context.connection.run(`ATTACH ${textLiteral(file.path)} AS ${quoteName(alias)} (READ_ONLY, TYPE DUCKDB)`)
    return file
  } catch (error) {
    throw unreadable(error, file.name)
  }
}

async function detach(context: MountContext): Promise<void> {
  await context.connection.run(`DETACH ${quoteName(ATTACHED)}`)
}

async function entries(context: MountContext, alias: string): Promise<FileEntry[]> {
  const database = textLiteral(alias)
  const rows = await rowsOf(
    context.connection,
    `SELECT schema_name, table_name AS name, false AS is_view, '' AS definition FROM duckdb_tables() WHERE database_name = ${database} AND NOT internal
     UNION ALL
     SELECT schema_name, view_name, true, sql FROM duckdb_views() WHERE database_name = ${database} AND NOT internal
     ORDER BY 1, 2`,
  )
  return rows.map((row) => ({
    schema: String(row.schema_name),
    name: String(row.name),
    assetType: row.is_view === true ? 'VIEW' : 'TABLE',
    definition: String(row.definition),
  }))
}

/** The tables and views that each view names, for `views` and for all views that these read. */
async function directReads(
  { connection, signal }: MountContext,
  alias: string,
  found: readonly FileEntry[],
  views: readonly FileEntry[],
): Promise<(view: FileEntry) => readonly FileEntry[] | null> {
  const macros = await macrosOf(connection, alias)
  const direct = new Map<FileEntry, FileEntry[] | null>()
  const open = [...views]
  for (let view = open.pop(); view !== undefined; view = open.pop()) {
    signal.throwIfAborted()
    if (view.assetType !== 'VIEW' || direct.has(view)) continue
    // A view cannot read itself, so an entry of the same name is in another schema.
    const others = found.filter((one) => one !== view)
    const reads = await duckdbReads(connection, view.definition, others, macros)
    direct.set(view, reads)
    open.push(...(reads ?? []))
  }
  return (view) => direct.get(view) ?? null
}

/**
 * The number of tables and views in a DuckDB file. Throws `unprocessable` if it is in use, of another version or
 * missing.
 */
export async function probeDuckdb(
  context: MountContext,
  path: string,
  root?: string,
): Promise<{ tables: number; skipped: SkippedFiles }> {
  await attach(context, path, ATTACHED, root)
  try {
    return { tables: (await entries(context, ATTACHED)).length, skipped: nothingSkipped }
  } finally {
    await detach(context)
  }
}

/**
 * Crawls a DuckDB file. Does not run views, because they may read other files. So the crawl reports their columns but
 * not their numbers of rows.
 */
export async function discoverDuckdb(
  context: MountContext,
  path: string,
  emit: Emit,
  root?: string,
  pathOf: (table: string) => string = (table) => table,
): Promise<void> {
  const file = await attach(context, path, ATTACHED, root)
  const { connection } = context
  try {
    const found = await entries(context, ATTACHED)
    const database = databaseName(file)
    emit({ kind: 'found', tables: found.length })
    emit({ kind: 'container', path: [], name: database, assetType: 'DATABASE' })
    for (const schema of new Set(found.map((entry) => entry.schema)))
      emit({ kind: 'container', path: [database], name: schema, assetType: 'SCHEMA' })
    // Tables first, then each view after the views that it reads.
    const direct = await directReads(context, ATTACHED, found, found)
    for (const { entry, reads, definition } of inReadingOrder(found, direct)) {
      context.signal.throwIfAborted()
      if (!(await context.crawl.shouldOpen(pathOf(`${entry.schema}.${entry.name}`)))) continue
      try {
        const relation = [ATTACHED, entry.schema, entry.name].map(quoteName).join('.')
        const where = `database_name = ${textLiteral(ATTACHED)} AND schema_name = ${textLiteral(entry.schema)} AND table_name = ${textLiteral(entry.name)}`
        const rows = await rowsOf(
          connection,
          `SELECT column_name, data_type, is_nullable FROM duckdb_columns() WHERE ${where} ORDER BY column_index`,
        )
        const required = requiredOf(rows)
        const columns =
          entry.assetType === 'TABLE'
            ? await columnsOf(connection, relation, required)
            : rows.map((row) => ({
                name: String(row.column_name),
                dataType: String(row.data_type),
                nullable: true,
                children: [],
              }))
        await emit({
          kind: 'table',
          path: [database, entry.schema],
          name: entry.name,
          assetType: entry.assetType,
          locator: {
            kind: 'table',
            engine: 'DUCKDB',
            path: file.path,
            schema: entry.schema,
            table: entry.name,
            columns: columns.map(({ name, dataType }) => ({ name, dataType })),
            fingerprint: file.fingerprint,
            ...(definition === undefined ? {} : { definition }),
          },
          columns,
          rowCount: entry.assetType === 'TABLE' ? await countRows(connection, relation) : null,
          sizeBytes: null,
          lastChangedAt: file.lastChangedAt,
          fileCount: null,
          warnings: noWarnings,
          ...(reads === undefined ? {} : { reads: reads.map(({ schema, name }) => [database, schema, name]) }),
        })
      } catch (error) {
        context.signal.throwIfAborted()
        emit(failedAt(`${entry.schema}.${entry.name}`, error))
      }
    }
  } finally {
    await detach(context)
  }
}

const requiredOf = (rows: readonly Record<string, unknown>[]) =>
  new Set(rows.filter((row) => row.is_nullable === false).map((row) => String(row.column_name)))

/** The prefix of the names of files attached for a run; a random suffix follows. */
const runPrefix = 'assay_file_'

/**
 * Attaches a DuckDB file read-only, for the whole run, under a random name. Users' SQL cannot read its other tables,
 * because the check of the parse tree refuses their names. A view is only checked here, not run. A redefined view is
 * refused.
 */
export async function mountDuckdb(context: MountContext, locator: FileTableLocator): Promise<Mounted> {
  const { connection } = context
  const attached = await rowsOf(connection, 'SELECT database_name, path FROM duckdb_databases()')
  const before = attached.find((row) => row.path === locator.path && String(row.database_name).startsWith(runPrefix))
  const alias = before === undefined ? `${runPrefix}${randomBytes(16).toString('hex')}` : String(before.database_name)
  if (before === undefined) await attach(context, locator.path, alias, locator.root)
  const schema = locator.schema ?? 'main'
  const rows = await rowsOf(
    connection,
    `SELECT column_name, data_type, is_nullable FROM duckdb_columns() WHERE database_name = ${textLiteral(alias)}
     AND schema_name = ${textLiteral(schema)} AND table_name = ${textLiteral(locator.table)} ORDER BY column_index`,
  )
  const found = await entries(context, alias)
  const entry = found.find((one) => one.schema === schema && one.name === locator.table)
  if (rows.length === 0 || entry === undefined)
    throw refused(`${schema}.${locator.table}`, 'is no longer a table of the file: crawl the source again')
  await requireHarmlessView(connection, alias, entry, found)
  requireSameDefinition(entry, locator.definition, await directReads(context, alias, found, [entry]))
  return {
    relation: [alias, schema, locator.table].map(quoteName).join('.'),
    columns: rows.map((row) => ({ name: String(row.column_name), dataType: String(row.data_type) })),
    required: async () => (entry.assetType === 'TABLE' ? requiredOf(rows) : new Set()),
    warnings: noWarnings,
    allowedDirectories: [],
  }
}

import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Discovered, TrinoSource } from '../dataset.ts'
import type { Connection } from '../push-down/connection.ts'
import { foundTable } from '../push-down/found.ts'
import { inReadingOrder } from '../sql/view-reads.ts'
import { columnCommentsOf, columnsOf, keyOf, schemasOf, tableCommentsOf, tablesOf } from './catalog.ts'
import { estimatedRows } from './estimates.ts'
import { readsOfViews } from './view-reads.ts'

/** The schemas of a source. Throws `unprocessable` if a configured schema does not exist, or if the user sees none. */
async function chosenSchemas(connection: Connection, { schemas, catalog, user }: TrinoSource): Promise<string[]> {
  const all = await schemasOf(connection, catalog)
  const missing = schemas?.find((name) => !all.includes(name))
  if (missing !== undefined)
    throw new AssayError(
      'unprocessable',
      `There is no schema "${missing}" in the catalog "${catalog}" that the user "${user}" may see.`,
    )
  if (all.length === 0)
    throw new AssayError(
      'unprocessable',
      `The user "${user}" sees no schema in the catalog "${catalog}". Grant it rights on tables.`,
    )
  return schemas ?? all
}

/** After so long, a crawl asks for no further estimates and no further reads of views: they stay unknown. */
const extrasMs = 120_000

/** The number of tables and views. The server shows only those on which the user has rights. Throws `unprocessable`. */
export async function probe(connection: Connection, source: TrinoSource) {
  const tables = await tablesOf(connection, source.catalog, await chosenSchemas(connection, source))
  return { tables: tables.length, skipped: { total: 0, first: [] } }
}

/** Everything that a catalog contains: schemas, tables and views with columns. Reads no rows of tables. */
export async function* discovered(
  connection: Connection,
  source: TrinoSource,
  sourceId: number | undefined,
  clock: Clock,
): AsyncGenerator<Discovered> {
  const { catalog } = source
  const schemas = await chosenSchemas(connection, source)
  const tables = await tablesOf(connection, catalog, schemas)
  yield { kind: 'found', tables: tables.length }
  yield { kind: 'container', path: [], name: catalog, assetType: 'DATABASE' }
  for (const schema of schemas) yield { kind: 'container', path: [catalog], name: schema, assetType: 'SCHEMA' }
  const comments = await tableCommentsOf(connection, catalog, schemas)
  const until = clock.now() + extrasMs
  const isTime = () => clock.now() < until
  const ordered = inReadingOrder(tables, await readsOfViews(connection, catalog, tables, isTime))
  const rows = await estimatedRows(
    connection,
    catalog,
    tables.filter(({ assetType }) => assetType === 'TABLE'),
    isTime,
  )
  for (const schema of schemas) {
    const own = ordered.filter(({ entry }) => entry.schema === schema)
    if (own.length === 0) continue
    const columns = await columnsOf(connection, catalog, { schema })
    const remarks = await columnCommentsOf(connection, catalog, schema)
    for (const found of own) {
      const { name } = found.entry
      const key = keyOf(schema, name)
      const entry = { ...found.entry, comment: comments.get(key) ?? null, rows: rows.get(key) ?? null }
      const commented = (columns.get(name) ?? []).map((column) => ({
        ...column,
        comment: remarks.get(keyOf(name, column.name)) ?? null,
      }))
      yield foundTable(source, { ...found, entry }, { columns: commented, keys: {}, sourceId })
    }
  }
}

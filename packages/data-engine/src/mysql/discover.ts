import { AssayError } from '@assay/service-kit/errors'
import type { Discovered, ServerSource } from '../dataset.ts'
import type { Connection } from '../push-down/connection.ts'
import { foundTable, skippedTables, tablesAtOnce } from '../push-down/found.ts'
import { inReadingOrder } from '../sql/view-reads.ts'
import { type CatalogColumn, type CatalogTable, columnsOf, keysOf, tablesOf } from './catalog.ts'
import { directReads } from './view-definition.ts'

/**
 * In these servers, a database is its own only schema. Throws `unprocessable` if the configuration names other schemas.
 */
function requireOwnSchema({ schemas, database }: ServerSource): void {
  const other = schemas?.find((name) => name !== database)
  if (other === undefined) return
  const sentence = `There is no schema "${other}" in the database. The only schema of a database is "${database}"; omit schemas.`
  throw new AssayError('unprocessable', sentence)
}

interface Known {
  tables: CatalogTable[]
  /** The columns that the user may read. */
  columns: Map<string, CatalogColumn[]>
}

async function known(connection: Connection, source: ServerSource): Promise<Known> {
  requireOwnSchema(source)
  const tables = await tablesOf(connection, source.database)
  const columns = new Map<string, CatalogColumn[]>()
  for (let from = 0; from < tables.length; from += tablesAtOnce) {
    const names = tables.slice(from, from + tablesAtOnce).map(({ name }) => name)
    for (const [name, all] of await columnsOf(connection, source.database, names))
      columns.set(
        name,
        all.filter(({ readable }) => readable),
      )
  }
  return { tables, columns }
}

const isReadable = ({ columns }: Known, { name }: CatalogTable) => (columns.get(name) ?? []).length > 0

const skippedOf = (all: Known, { database, user }: ServerSource) =>
  skippedTables(
    all.tables.filter((table) => !isReadable(all, table)).map(({ name }) => ({ schema: database, name })),
    `The user "${user}" may not read it: GRANT SELECT on it.`,
  )

/** The number of readable tables and views. Throws `unprocessable`. */
export async function probe(connection: Connection, source: ServerSource) {
  const all = await known(connection, source)
  return { tables: all.tables.filter((table) => isReadable(all, table)).length, skipped: skippedOf(all, source) }
}

/**
 * Everything that a database contains: its schema, which has the same name, and its tables and views with columns and
 * keys. Views come after what they read. Reads no rows of tables.
 */
export async function* discovered(
  connection: Connection,
  source: ServerSource,
  sourceId: number | undefined,
): AsyncGenerator<Discovered> {
  const { database } = source
  const all = await known(connection, source)
  const tables = all.tables.filter((table) => isReadable(all, table))
  yield { kind: 'found', tables: tables.length }
  yield { kind: 'container', path: [], name: database, assetType: 'DATABASE' }
  yield { kind: 'container', path: [database], name: database, assetType: 'SCHEMA' }
  const inSchema = tables.map((table) => ({ ...table, schema: database }))
  const ordered = inReadingOrder(inSchema, directReads(database, inSchema))
  for (let from = 0; from < ordered.length; from += tablesAtOnce) {
    const part = ordered.slice(from, from + tablesAtOnce)
    const keys = await keysOf(
      connection,
      database,
      part.map(({ entry }) => entry.name),
    )
    for (const found of part) {
      const { name } = found.entry
      yield foundTable(source, found, { columns: all.columns.get(name) ?? [], keys: keys.get(name) ?? {}, sourceId })
    }
  }
  const skipped = skippedOf(all, source)
  if (skipped.total > 0) yield { kind: 'skipped', ...skipped }
}

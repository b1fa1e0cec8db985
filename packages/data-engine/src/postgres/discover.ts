import { AssayError } from '@assay/service-kit/errors'
import type { Discovered, ServerSource } from '../dataset.ts'
import type { Connection } from '../push-down/connection.ts'
import { foundTable, skippedTables, tablesAtOnce } from '../push-down/found.ts'
import { inReadingOrder } from '../sql/view-reads.ts'
import { type CatalogTable, columnsOf, directReads, keysOf, schemasOf, tablesOf } from './catalog.ts'

/**
 * The schemas of a source. Throws `unprocessable` if a configured schema does not exist, or if the user may read none.
 */
async function chosenSchemas(connection: Connection, { schemas, user }: ServerSource): Promise<string[]> {
  const all = await schemasOf(connection)
  const readable = new Set(all.flatMap(({ name, readable: may }) => (may ? [name] : [])))
  const refused = (sentence: string) => new AssayError('unprocessable', sentence)
  for (const name of schemas ?? []) {
    if (!all.some((one) => one.name === name)) throw refused(`There is no schema "${name}" in the database.`)
    if (!readable.has(name))
      throw refused(`The user "${user}" has no rights on the schema "${name}". GRANT USAGE ON SCHEMA to it.`)
  }
  if (readable.size === 0 && all.length > 0)
    throw refused(`The user "${user}" has no rights on any schema of the database. GRANT USAGE ON SCHEMA to it.`)
  return schemas ?? all.map(({ name }) => name)
}

/** Tables that the user may not read. */
const skippedOf = (tables: readonly CatalogTable[], user: string) =>
  skippedTables(
    tables.filter(({ readable }) => !readable),
    `The user "${user}" may not read it: GRANT SELECT on it, and USAGE on its schema.`,
  )

/** The number of readable tables and views. Throws `unprocessable`. */
export async function probe(connection: Connection, source: ServerSource) {
  const tables = await tablesOf(connection, await chosenSchemas(connection, source))
  return { tables: tables.filter(({ readable }) => readable).length, skipped: skippedOf(tables, source.user) }
}

/**
 * Everything that a database contains: schemas, tables and views with columns and keys. Views come after what they read.
 * Reads no rows of tables.
 */
export async function* discovered(
  connection: Connection,
  source: ServerSource,
  sourceId: number | undefined,
): AsyncGenerator<Discovered> {
  const { database } = source
  const schemas = await chosenSchemas(connection, source)
  const all = await tablesOf(connection, schemas)
  const tables = all.filter(({ readable }) => readable)
  yield { kind: 'found', tables: tables.length }
  yield { kind: 'container', path: [], name: database, assetType: 'DATABASE' }
  for (const schema of schemas) yield { kind: 'container', path: [database], name: schema, assetType: 'SCHEMA' }
  const ordered = inReadingOrder(tables, await directReads(connection, tables))
  for (let from = 0; from < ordered.length; from += tablesAtOnce) {
    const part = ordered.slice(from, from + tablesAtOnce)
    const entries = part.map(({ entry }) => entry)
    const [columns, keys] = [await columnsOf(connection, entries), await keysOf(connection, entries)]
    for (const found of part) {
      const readable = (columns.get(found.entry.oid) ?? []).filter((column) => column.readable)
      yield foundTable(source, found, { columns: readable, keys: keys.get(found.entry.oid) ?? {}, sourceId })
    }
  }
  const skipped = skippedOf(all, source.user)
  if (skipped.total > 0) yield { kind: 'skipped', ...skipped }
}

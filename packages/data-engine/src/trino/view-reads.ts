import type { Connection } from '../push-down/connection.ts'
import { raw } from '../sql/fragment.ts'
import { quoteName } from '../sql/quote.ts'
import { definitionOf, requireSameDefinition } from '../sql/view-reads.ts'
import { type CatalogTable, keyOf, tablesOf } from './catalog.ts'

type Reads = (view: CatalogTable) => readonly CatalogTable[] | null

/** Every view counts as reading all tables. */
const unknownReads: Reads = () => null

/** A table function may read anything, and the server does not say what. */
const callsTableFunction = ({ definition }: CatalogTable) => /\btable\s*\(/i.test(definition)

/**
 * The keys of the tables and views that a view reads, directly or through other views, by the server's analysis. `null` if
 * they are unknown, or some are in another catalog.
 */
async function referencesOf(connection: Connection, catalog: string, view: CatalogTable) {
  if (connection.references === undefined || callsTableFunction(view)) return null
  const named = [catalog, view.schema, view.name].map(quoteName).join('.')
  const found = await connection.references(raw(`SELECT * FROM ${named}`))
  const isView = (one: { schema: string; table: string }) => one.schema === view.schema && one.table === view.name
  return found.every((one) => one.catalog === catalog) ? found.filter((one) => !isView(one)) : null
}

/** The tables with these names; `null` if one of them is not among `tables`. */
function tablesAmong(
  tables: readonly CatalogTable[],
  references: readonly { schema: string; table: string }[] | null,
): CatalogTable[] | null {
  const byKey = new Map(tables.map((table) => [keyOf(table.schema, table.name), table]))
  const found = references?.flatMap(({ schema, table }) => byKey.get(keyOf(schema, table)) ?? []) ?? []
  return references?.length === found.length ? found : null
}

/**
 * What each view reads, by a statement for each that reads no rows, as long as `isTime`. `null` for a view that fails, for
 * example because the user may not read it.
 */
export async function readsOfViews(
  connection: Connection,
  catalog: string,
  tables: readonly CatalogTable[],
  isTime: () => boolean,
): Promise<Reads> {
  const reads = new Map<CatalogTable, CatalogTable[] | null>()
  for (const view of tables.filter(({ assetType }) => assetType === 'VIEW')) {
    if (!isTime()) break
    const references = await referencesOf(connection, catalog, view).catch(() => null)
    reads.set(view, tablesAmong(tables, references))
  }
  return (view) => reads.get(view) ?? null
}

/** What a view reads now. */
async function currentReads(connection: Connection, catalog: string, view: CatalogTable): Promise<Reads> {
  const references = await referencesOf(connection, catalog, view)
  if (references === null || references.length === 0) return (one) => (one === view ? references && [] : null)
  const [schemas, names] = [references.map(({ schema }) => schema), references.map(({ table }) => table)]
  const all = tablesAmong(await tablesOf(connection, catalog, [...new Set(schemas)], [...new Set(names)]), references)
  // What the views below read is among the references, too.
  return (one) => (one === view ? all : callsTableFunction(one) ? null : [])
}

/** Throws `unprocessable` if a view, or a view that it is known to read, was redefined since its crawl. */
export async function requireCrawledDefinition(
  connection: Connection,
  catalog: string,
  entry: CatalogTable,
  crawled: string | undefined,
): Promise<void> {
  const isOfUnknown = entry.assetType === 'TABLE' || definitionOf(entry, unknownReads) === crawled
  const reads = isOfUnknown ? unknownReads : await currentReads(connection, catalog, entry)
  requireSameDefinition(entry, crawled, reads)
}

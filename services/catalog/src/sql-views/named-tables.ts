import { endsOf } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { type AssetTableDocument, assets, assetTables } from '../asset/collections.ts'

/** Maximum tables in one SELECT. */
const maxTables = 20
const maxFound = 200

/** A table with its name in a SELECT. */
export interface NamedTable {
  name: string
  table: AssetTableDocument
}

/**
 * The tables of an assembly that a SELECT names. A table is named by its own name or, if that is ambiguous, by its path
 * below the assembly, separated by `/` or `.`. Throws `invalid` for an ambiguous name, and for too many names.
 */
export async function namedTables(
  documents: Documents,
  tenant: string,
  assemblyId: number,
  names: readonly string[],
): Promise<NamedTable[]> {
  if (names.length > maxTables)
    throw new AssayError(
      'invalid',
      `data.details.query: names ${names.length} tables; a view can read at most ${maxTables}.`,
    )
  const ends = [...new Set(names.flatMap((name) => endsOf(name) ?? []))]
  if (ends.length === 0) return []
  const { documents: found } = await documents.find(assets, tenant, {
    where: [
      { field: 'liveAssemblyId', is: assemblyId },
      { field: 'name', in: ends },
    ],
    size: maxFound,
  })
  const tables: AssetTableDocument[] = []
  for (const { id, tableId } of found) {
    if (tableId !== null) continue
    const table = (await documents.get(assetTables, tenant, id))?.document
    if (table !== undefined && table.facts !== null && table.facts.locator.kind !== 'query') tables.push(table)
  }
  const wanted = new Set(names)
  const named = new Map<string, AssetTableDocument[]>()
  for (const table of tables) {
    const path = table.naturalPath.slice(2)
    for (const name of new Set([table.name, path.join('/'), path.join('.')]))
      if (wanted.has(name)) named.set(name, [...(named.get(name) ?? []), table])
  }
  const several = [...named].find(([, meant]) => meant.length > 1)
  if (several !== undefined) {
    const paths = several[1].map(({ naturalPath }) => `"${naturalPath.slice(2).join('/')}"`)
    throw new AssayError('invalid', `data.details.query: "${several[0]}" is ambiguous; write ${paths.join(' or ')}.`)
  }
  return [...named].flatMap(([name, [table]]) => (table === undefined ? [] : [{ name, table }]))
}

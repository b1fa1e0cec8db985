import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { type AssetTableDocument, assets, assetTables } from '../asset/collections.ts'

/** Tables that one SELECT can read. */
const mostTables = 20
const mostNames = 400
const mostFound = 200

/** A table under the name by which a SELECT calls it. */
export interface NamedTable {
  name: string
  table: AssetTableDocument
}

/** All names that a SELECT may mean a table by: quoted ones and words, those in strings and comments left out. Pure. */
export function namesIn(sql: string): string[] {
  const names = new Set<string>()
  const parts = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"]|"")*)"|[\p{L}_][\p{L}\p{N}_$]*/gu
  for (const [text, quoted] of sql.matchAll(parts)) {
    if (quoted !== undefined) names.add(quoted.replaceAll('""', '"'))
    else if (/^[\p{L}_]/u.test(text)) names.add(text)
  }
  return [...names]
}

/** A name may be a path below the assembly: its ends, one of which is the table's own name. */
function endsOf(name: string): string[] {
  const ends = [name]
  for (const [index, character] of [...name].entries())
    if (character === '/' || character === '.') ends.push([...name].slice(index + 1).join(''))
  return ends.filter((end) => end !== '').slice(0, 20)
}

/**
 * The tables of an assembly that a SELECT names: by their own name, or, where it repeats, by the path below the assembly with
 * `/` or `.` between its parts. Names of columns and functions find nothing. Throws `invalid` for a name that means several.
 */
export async function namedTables(
  documents: Documents,
  tenant: string,
  assemblyId: number,
  sql: string,
): Promise<NamedTable[]> {
  const names = namesIn(sql).slice(0, mostNames)
  const ends = [...new Set(names.flatMap(endsOf))].slice(0, 1_000)
  if (ends.length === 0) return []
  const { documents: found } = await documents.find(assets, tenant, {
    where: [
      { field: 'liveAssemblyId', is: assemblyId },
      { field: 'name', in: ends },
    ],
    size: mostFound,
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
    throw new AssayError('invalid', `details.query: "${several[0]}" means several tables; write ${paths.join(' or ')}.`)
  }
  if (named.size > mostTables)
    throw new AssayError('invalid', `details.query: names ${named.size} tables; a view reads at most ${mostTables}.`)
  return [...named].flatMap(([name, [table]]) => (table === undefined ? [] : [{ name, table }]))
}

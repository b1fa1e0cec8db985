import { searchLimit } from '../search/candidates.ts'
import type { KeptNames } from './followed-names.ts'
import { facetColumns, groupedByFacets } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

/** Marks with 1 the groups that a search of kept fields lets through. */
export function allowedGroups(
  { groups, lastGroup }: Pick<KeptNames, 'groups' | 'lastGroup'>,
  request: Pick<SearchRequest, 'search' | 'tenant' | 'ofGroups'>,
  all: All,
): Uint8Array {
  const { search, tenant, ofGroups } = request
  const allowed = new Uint8Array(lastGroup + 1)
  if (ofGroups === undefined) {
    for (const gid of groups.keys()) allowed[gid] = 1
    return allowed
  }
  const sql = `SELECT gid FROM ${search.prefix}_group WHERE tenant = ? AND ${ofGroups.text}`
  for (const [gid] of all(sql, tenant, ...ofGroups.values)) allowed[Number(gid)] = 1
  return allowed
}

/** Numbers by group as rows of a number and the values of the facets. */
export function rowsOfGroups({ groups }: KeptNames, { search, facets }: SearchRequest, sums: Float64Array): Row[] {
  const places = facets.map(({ column }) => search.besideColumns.indexOf(column))
  const rows: Row[] = []
  for (const [gid, sum] of sums.entries()) {
    const values = groups.get(gid)
    if (sum > 0 && values !== undefined) rows.push([sum, ...places.map((at) => values[at] ?? null)])
  }
  return rows
}

/** Rows of the first 10,000 documents of names that are best first, whose documents are more than that. */
export function firstRows(
  kept: KeptNames,
  request: SearchRequest,
  all: All,
  slots: Int32Array,
  allowed: Uint8Array,
): Row[] {
  const { table, where } = request
  const { index, counts } = kept
  const sums = new Float64Array(allowed.length)
  let left = searchLimit
  for (const slot of slots) {
    const count = counts.count(slot, allowed)
    if (count > left) {
      // Of the name in which the limit lies, the documents themselves say which are the first.
      const columns = facetColumns(request)
      const sql = `SELECT count(*)${columns} FROM (SELECT 1${columns} FROM ${table} WHERE s_name = ? AND ${where.text}
        ORDER BY id LIMIT ?)${groupedByFacets(request)}`
      const rest = left === 0 ? [] : all(sql, index.key(slot), ...where.values, left)
      return [...rowsOfGroups(kept, request, sums), ...rest]
    }
    counts.addTo(sums, slot, allowed)
    left -= count
  }
  return rowsOfGroups(kept, request, sums)
}

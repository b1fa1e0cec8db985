import { searchLimit } from '../search/candidates.ts'
import type { RankedSlots } from '../search/ranked-slots.ts'
import type { CachedNames } from './followed-names.ts'
import { facetColumns, groupedByFacets } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

/** An array that has 1 for each group that matches the conditions. */
export function allowedGroups(
  { groups, lastGroup }: Pick<CachedNames, 'groups' | 'lastGroup'>,
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

/** The sums of groups as rows: a number, followed by the facets' values. */
export function rowsOfGroups({ groups }: CachedNames, { search, facets }: SearchRequest, sums: Float64Array): Row[] {
  const places = facets.map(({ column }) => search.includedColumns.indexOf(column))
  const rows: Row[] = []
  for (const [gid, sum] of sums.entries()) {
    const values = groups.get(gid)
    if (sum > 0 && values !== undefined) rows.push([sum, ...places.map((at) => values[at] ?? null)])
  }
  return rows
}

/** Maximum number of cached results. */
const maxCached = 1_000

/**
 * Rows of the first documents of a name, ordered by id. The counts do not tell which documents are first, so the
 * documents are read. Grouping thousands of documents takes milliseconds, so the result is cached.
 */
function firstOfName(kept: CachedNames, request: SearchRequest, all: All, key: number, most: number): readonly Row[] {
  const { table, where, ofGroups } = request
  const columns = facetColumns(request)
  const at = JSON.stringify([key, most, ofGroups, columns])
  const known = kept.firsts.get(at)
  if (known !== undefined) return known
  const sql = `SELECT count(*)${columns} FROM (SELECT 1${columns} FROM ${table} WHERE s_name = ? AND ${where.text}
    ORDER BY id LIMIT ?)${groupedByFacets(request)}`
  const rows = all(sql, key, ...where.values, most)
  if (kept.firsts.size >= maxCached) kept.firsts.clear()
  kept.firsts.set(at, rows)
  return rows
}

/** Rows of the first 10,000 documents of the names, best first. */
export function firstRows(
  kept: CachedNames,
  request: SearchRequest,
  all: All,
  slots: RankedSlots,
  allowed: Uint8Array,
): Row[] {
  const { index, counts } = kept
  const sums = new Float64Array(allowed.length)
  let left = searchLimit
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots.slot(at)
    const count = counts.addTo(sums, slot, allowed)
    if (count > left) {
      counts.addTo(sums, slot, allowed, -1)
      const rest = left === 0 ? [] : firstOfName(kept, request, all, index.key(slot), left)
      return [...rowsOfGroups(kept, request, sums), ...rest]
    }
    left -= count
  }
  return rowsOfGroups(kept, request, sums)
}

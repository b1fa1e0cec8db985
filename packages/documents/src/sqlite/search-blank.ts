import { searchLimit } from '../search/candidates.ts'
import type { CachedNames } from './followed-names.ts'
import { allowedGroups } from './group-rows.ts'
import { facetColumns, facetsOf, groupedByFacets } from './search-facets.ts'
import type { All, SearchAnswer, SearchRequest } from './search-request.ts'

function storedCount(kept: CachedNames, request: SearchRequest, all: All): number {
  const allowed = allowedGroups(kept, request, all)
  const totals = kept.counts.totals()
  let sum = 0
  for (const [gid, isAllowed] of allowed.entries()) if (isAllowed === 1) sum += totals[gid] ?? 0
  for (let at = 0; at < kept.nameless.length; at += 2)
    if (allowed[kept.nameless[at] ?? 0] === 1) sum += kept.nameless[at + 1] ?? 0
  return sum
}

/**
 * A search without a text: finds everything that matches the conditions. `kept`: names in memory, whose stored counts
 * give the total.
 */
export function searchBlank(request: SearchRequest, all: All, kept: CachedNames | undefined): SearchAnswer {
  const { table, tenant, where, order, page, size, facets } = request
  const from = `FROM ${table} WHERE tenant = ? AND ${where.text}`
  const bodies =
    size === 0
      ? []
      : all(
          `SELECT body ${from} ORDER BY ${order ?? 'id'} LIMIT ? OFFSET ?`,
          tenant,
          ...where.values,
          size,
          page * size,
        )
  const count =
    kept === undefined
      ? Number(all(`SELECT count(*) ${from}`, tenant, ...where.values)[0]?.[0] ?? 0)
      : storedCount(kept, request, all)
  const columns = facetColumns(request)
  const groups =
    facets.length === 0
      ? []
      : all(
          `SELECT count(*)${columns} FROM (SELECT 1${columns} ${from} ORDER BY id LIMIT ?)${groupedByFacets(request)}`,
          tenant,
          ...where.values,
          searchLimit,
        )
  return {
    bodies: bodies.map(([body]) => String(body)),
    count,
    isCountCapped: false,
    isFacetCapped: facets.length > 0 && count > searchLimit,
    facets: facetsOf(request, groups),
  }
}

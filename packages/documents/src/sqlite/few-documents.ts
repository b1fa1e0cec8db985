import type { FittingNames } from './fitting-names.ts'
import { facetColumns } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

/** So many documents are looked at where the names that fit have more: some 50 ms. */
const mostLookedAt = 50_000

/**
 * The documents that fit, in no order, where one condition alone lets through half as many as the names that fit have, or
 * fewer: the names of those are looked at, and not all documents of the names, twice, which may be most of what is there.
 * Rows of the name's key, id, score, rowid and the facets' values.
 */
export function fewDocuments(
  request: SearchRequest,
  all: All,
  names: Pick<FittingNames, 'at' | 'documents'>,
): readonly Row[] | undefined {
  const { table, tenant, search, perhapsFew } = request
  if (perhapsFew.length === 0) return undefined
  const most = Math.min(mostLookedAt, Math.floor(names.documents() / 2))
  const few = perhapsFew.find(({ alone }) => {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE tenant = ? AND ${alone.text} LIMIT ?)`
    return Number(all(sql, tenant, ...alone.values, most + 1)[0]?.[0] ?? 0) <= most
  })
  if (few === undefined) return undefined
  const columns = `s_name, id, ${search.scoreColumn ?? '0'}, rowid${facetColumns(request)}`
  const documents = all(
    `SELECT ${columns} FROM ${table} WHERE tenant = ? AND ${few.all.text}`,
    tenant,
    ...few.all.values,
  )
  return documents.filter(([key = null]) => key !== null && names.at(Number(key)) !== undefined)
}

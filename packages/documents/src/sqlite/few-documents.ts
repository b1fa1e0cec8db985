import type { MatchingNames } from './matching-names.ts'
import { facetColumns } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

/** Maximum number of documents that this plan reads, which takes about 50 ms. */
const mostLookedAt = 50_000

/**
 * An alternative plan for selective conditions: reads the documents of one condition, and keeps those whose name
 * matches. It is used only if the condition matches at most half as many documents as the names do, because the other
 * plan reads all documents of the names twice. Returns rows with the key of the name, id, score, rowid and the facets'
 * values, in no order; `undefined` if no condition is selective enough.
 */
export function fewDocuments(
  request: SearchRequest,
  all: All,
  names: Pick<MatchingNames, 'at' | 'documents'>,
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

import { searchLimit } from '../search/candidates.ts'
import type { FittingNames } from './fitting-names.ts'
import { facetColumns } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

/**
 * The documents that fulfil the conditions, where one condition alone lets at most 10,000 through: to look at the names of
 * these costs less than to look at all documents of the names that fit, which may be most of what is there. Rows of the
 * name's key, id, score, rowid and the facets' values.
 */
export function fewDocuments(request: SearchRequest, all: All): readonly Row[] | undefined {
  const { table, tenant, search, perhapsFew } = request
  const isFew = ({ alone }: SearchRequest['perhapsFew'][number]) => {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE tenant = ? AND ${alone.text} LIMIT ?)`
    return Number(all(sql, tenant, ...alone.values, searchLimit + 1)[0]?.[0] ?? 0) <= searchLimit
  }
  const few = perhapsFew.find(isFew)
  if (few === undefined) return undefined
  const columns = `s_name, id, ${search.scoreColumn ?? '0'}, rowid${facetColumns(request)}`
  return all(`SELECT ${columns} FROM ${table} WHERE tenant = ? AND ${few.all.text}`, tenant, ...few.all.values)
}

/** Of these documents those whose name fits, and their count: rows as `FittingNames.counted` has them. */
export function fittingAmong(documents: readonly Row[], names: Pick<FittingNames, 'at'>) {
  const found = documents.filter(([key]) => key !== null && names.at(Number(key)) !== undefined)
  return { found, counted: { rows: found.map((row) => [1, ...row.slice(4)]), count: found.length, isCapped: false } }
}

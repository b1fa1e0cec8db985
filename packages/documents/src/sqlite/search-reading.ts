import { type Candidate, compareCandidates, rankedPaths, searchLimit } from '../search/candidates.ts'
import { foldedCase } from '../text.ts'
import { fewDocuments } from './few-documents.ts'
import type { CachedNames } from './followed-names.ts'
import { namesInMemory, namesOfTables } from './matching-names.ts'
import { searchBlank } from './search-blank.ts'
import { facetColumns, facetsOf } from './search-facets.ts'
import { type All, type Prepare, type Row, reading, type SearchAnswer, type SearchRequest } from './search-request.ts'
import { tableStore } from './table-store.ts'

const list = 'WITH asked(ord, k) AS MATERIALIZED (SELECT key, value FROM json_each(?))'

/**
 * Whether the stored counts equal the matches. This is the case without a snapshot, or if no document was added since
 * it.
 */
function isOfGroups({ table, upTo, ofGroups }: SearchRequest, all: All): boolean {
  if (ofGroups === undefined) return false
  return upTo === undefined || Number(all(`SELECT coalesce(max(rowid), 0) FROM ${table}`)[0]?.[0]) <= upTo
}

/**
 * A matching document with its rowid. The index that found the document contains the rowid, which is the fastest way to
 * its body.
 */
interface Located extends Candidate {
  row: number
}

/** The bodies of the requested page, in the order of `found` or in the requested order. */
function bodiesOf(request: SearchRequest, all: All, found: readonly Located[]): string[] {
  const { table, order, page, size } = request
  const wanted = order === undefined ? found.slice(page * size, (page + 1) * size) : found
  if (size === 0 || wanted.length === 0) return []
  const sql = `${list} SELECT body FROM asked CROSS JOIN ${table} WHERE ${table}.rowid = k`
  const keys = JSON.stringify(wanted.map(({ row }) => row))
  const rows =
    order === undefined ? all(sql, keys) : all(`${sql} ORDER BY ${order} LIMIT ? OFFSET ?`, keys, size, page * size)
  return rows.map(([body]) => String(body))
}

/** The number of `matches`, which are all matching documents, and the facets' values of the first 10,000 of them. */
function countedAmong(matches: readonly Row[], sorted: readonly Located[]) {
  const first = matches.length > searchLimit ? new Set(sorted.slice(0, searchLimit).map(({ row }) => row)) : undefined
  const counted = first === undefined ? matches : matches.filter(([, , , row]) => first.has(Number(row)))
  return { rows: counted.map((row) => [1, ...row.slice(4)]), count: matches.length, isCapped: false }
}

/**
 * Runs a search on a connection. Uses the names in memory if there are any. Takes some milliseconds of synchronous
 * work, so threads that serve requests must not call it. `kept` must match the connection's snapshot.
 */
export async function runSearch(prepare: Prepare, request: SearchRequest, kept?: CachedNames): Promise<SearchAnswer> {
  const { table, search, tenant, text, where, order, page, size, facets, boosts } = request
  const all = reading(prepare)
  const byGroups = kept !== undefined && isOfGroups(request, all)
  if (text.trim() === '') return searchBlank(request, all, byGroups ? kept : undefined)

  const paths = await rankedPaths(tableStore(request, all), text)
  const names = kept === undefined ? await namesOfTables(request, all) : namesInMemory(kept, request, all, byGroups)
  const rows = new Map<string | number, Located>()
  /** Adds rows. The first column of each identifies the candidate; id, score and rowid follow. */
  const take = (found: readonly Row[], candidate: (row: Row) => Pick<Candidate, 'rank' | 'folded'> | undefined) => {
    for (const row of found) {
      const [, id = null, score, rowid] = row
      const fit = candidate(row)
      if (id === null || fit === undefined) continue
      const own = typeof id === 'string' ? id : Number(id)
      const known = rows.get(own)
      if (known !== undefined && known.rank <= fit.rank) continue
      const total = Number(score) + (boosts.get(own) ?? 0)
      rows.set(own, { id: own, score: total, rank: fit.rank, folded: fit.folded, row: Number(rowid) })
    }
  }
  const { scoreColumn } = search
  const score = scoreColumn ?? '0'
  const fields = `id, ${score}, ${table}.rowid`
  const join = `FROM asked CROSS JOIN ${table}`
  const takeOfNames = (documents: number, only: string, limit: number) => {
    const some = names.best(documents)
    if (some.length === 0 || limit <= 0) return
    const sql = `${list} SELECT ord, ${fields} ${join} WHERE s_name = k ${only} AND ${where.text} LIMIT ?`
    const read = (of: typeof some) => all(sql, JSON.stringify(of.map(({ key }) => key)), ...where.values, limit)
    const found = read(some)
    take(found, ([at]) => some[Number(at)])
    const last = some[Number(found.at(-1)?.[0])]
    if (found.length < limit || last === undefined) return
    // Names that differ only by case are tied, and the ids determine the order of their documents. The limit may have
    // cut off documents with lower ids.
    const same = some.filter(({ rank, folded }) => rank === last.rank && folded === last.folded)
    if (same.length > 1) for (const name of same) take(read([name]), () => name)
  }

  /** Takes as many documents of the best names as the page needs. */
  function takeBest(): void {
    // Few documents have a score, and a score moves them within their rank. So all of them are read.
    if (scoreColumn !== undefined) takeOfNames(Number.POSITIVE_INFINITY, `AND ${score} <> 0`, searchLimit)
    if (boosts.size > 0) {
      const sql = `${list} SELECT s_name, ${fields} ${join} WHERE tenant = ? AND id = k AND ${where.text}`
      const boosted = all(sql, JSON.stringify([...boosts.keys()]), tenant, ...where.values)
      take(boosted, ([name]) => names.at(Number(name)))
    }
    // The query loops over the names in their order, so the first rows are the best ones. The limit is the number that
    // the page needs, plus the documents that scores, boosts and paths may have moved.
    const needed = order === undefined ? (page + 1) * size + rows.size + paths.length : searchLimit
    const limit = Math.min(needed, searchLimit)
    takeOfNames(limit, scoreColumn === undefined ? '' : `AND ${score} = 0`, limit)
  }

  const few = byGroups ? undefined : fewDocuments(request, all, names)
  if (few === undefined) takeBest()
  else take(few, ([key]) => names.at(Number(key)))
  let besides: Row[] = []
  if (paths.length > 0) {
    const columns = facetColumns(request)
    const sql = `${list} SELECT ord, ${fields}, s_name${columns} ${join} WHERE tenant = ? AND id = k AND ${where.text}`
    const found = all(sql, JSON.stringify(paths.map(({ id }) => id)), tenant, ...where.values)
    take(found, ([at]) => {
      const path = paths[Number(at)]
      return path && { rank: path.rank, folded: foldedCase(path.name) }
    })
    besides = found.filter((row) => names.at(Number(row[4])) === undefined)
  }
  const sorted = [...rows.values()].sort((one, other) => compareCandidates(one, other))
  const counted = few === undefined ? names.counted() : countedAmong(few, sorted)
  const count = counted.count + besides.length
  return {
    bodies: bodiesOf(request, all, sorted.slice(0, searchLimit)),
    count,
    isCountCapped: counted.isCapped,
    isFacetCapped: facets.length > 0 && count > searchLimit,
    facets: facetsOf(request, [...counted.rows, ...besides.map((row) => [1, ...row.slice(5)])]),
  }
}

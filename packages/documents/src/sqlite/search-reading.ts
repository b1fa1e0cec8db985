import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { FieldValue } from '../port.ts'
import {
  type Candidate,
  compareCandidates,
  type KnownName,
  type Placed,
  rankedNames,
  rankedPaths,
  type SearchStore,
  searchLimit,
} from '../search/candidates.ts'
import { foldedCase } from '../text.ts'
import type { Sql } from './filter.ts'
import type { SearchTable } from './table.ts'

/** A search as it goes to the worker: plain data. */
export interface SearchRequest {
  /** The live table, and its columns for searching. */
  table: string
  search: SearchTable
  tenant: string
  text: string
  /** Conditions without the tenant. */
  where: Sql
  /** `ORDER BY`; absent: by how well a name fits. */
  order: string | undefined
  page: CheckedQuery['page']
  size: CheckedQuery['size']
  /** Columns to count the values of. */
  boosts: ReadonlyMap<string | number, number>
  facets: readonly { field: string; column: string; isBoolean: boolean }[]
}
export interface SearchAnswer {
  bodies: string[]
  count: number
  isCountCapped: boolean
  isFacetCapped: boolean
  facets: { [field: string]: { value: FieldValue; count: number }[] }
}

type Value = string | number | bigint | null
type Row = readonly Value[]

/** Statements by their text. Forms are few. */
export type Prepare = (sql: string) => StatementSync

/** A preparer that remembers, for a connection of its own. */
export function preparing(database: DatabaseSync): Prepare {
  const known = new Map<string, StatementSync>()
  return (sql) => {
    const before = known.get(sql)
    if (before !== undefined) return before
    const made = database.prepare(sql)
    made.setReturnArrays(true)
    if (known.size >= 500) known.clear()
    known.set(sql, made)
    return made
  }
}

function trigramsOf(text: string): string[] {
  const points = Array.from(text)
  const found = points.slice(2).map((_, at) => points.slice(at, at + 3).join(''))
  return [...new Set(found)].slice(0, 30)
}

function storeOf(request: SearchRequest, all: (sql: string, ...values: Value[]) => Row[]): SearchStore {
  const { table, search, tenant } = request
  const { prefix, pathColumn, parentColumn, scoreColumn = '0' } = search
  const names = (rows: readonly Row[]): KnownName[] =>
    rows.map(([key, name, folded, squashed]) => ({
      key: Number(key),
      name: String(name),
      folded: String(folded),
      squashed: String(squashed),
    }))
  const fields = 'n.key, n.name, n.folded, n.squashed'
  const upTo = (column: string, end: string | undefined) => (end === undefined ? '' : `AND ${column} < ?`)
  const some = (end: string | undefined) => (end === undefined ? [] : [end])
  const placed = (rows: readonly Row[]): Placed[] =>
    rows.map(([id, name, path, score]) => ({
      id: typeof id === 'string' ? id : Number(id),
      name: String(name),
      path: String(path),
      score: Number(score),
    }))
  const place = `d.id, n.name, d.${pathColumn}, ${scoreColumn === '0' ? '0' : `d.${scoreColumn}`}`
  const list = 'WITH asked(k) AS MATERIALIZED (SELECT value FROM json_each(?))'

  return {
    typosAreClose: true,
    exact: async (folded, limit) =>
      names(
        all(
          `${list} SELECT ${fields} FROM asked CROSS JOIN ${prefix}_name n WHERE n.tenant = ? AND n.folded = k LIMIT ?`,
          JSON.stringify(folded),
          tenant,
          limit,
        ),
      ),
    prefix: async ({ from, to }, limit) =>
      names(
        all(
          `SELECT ${fields} FROM ${prefix}_name n WHERE tenant = ? AND squashed >= ? ${upTo('squashed', to)} ORDER BY squashed, key LIMIT ?`,
          tenant,
          from,
          ...some(to),
          limit,
        ),
      ),
    tails: async ({ from, to }, limit) =>
      names(
        all(
          `SELECT ${fields} FROM (SELECT key FROM ${prefix}_tail WHERE tenant = ? AND tail >= ? ${upTo('tail', to)}
             ORDER BY tail, key LIMIT ?) t CROSS JOIN ${prefix}_name n ON n.key = t.key`,
          tenant,
          from,
          ...some(to),
          limit,
        ),
      ),
    containing: async (squashed, limit) => {
      const trigrams = trigramsOf(squashed)
      if (trigrams.length === 0)
        return names(
          all(
            `SELECT ${fields} FROM ${prefix}_name n WHERE tenant = ? AND instr(squashed, ?) > 0 ORDER BY key LIMIT ?`,
            tenant,
            squashed,
            limit,
          ),
        )
      const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
      return names(
        all(
          `SELECT ${fields} FROM ${prefix}_fts f CROSS JOIN ${prefix}_name n ON n.key = f.rowid
             WHERE ${prefix}_fts MATCH ? AND n.tenant = ? AND instr(n.squashed, ?) > 0 LIMIT ?`,
          match,
          tenant,
          squashed,
          limit,
        ),
      )
    },
    typos: async (keys, isClose, limit) => {
      const words = all(
        `${list} SELECT DISTINCT t.word FROM asked CROSS JOIN ${prefix}_typo t ON t.tenant = ? AND t.typo = k`,
        JSON.stringify(keys),
        tenant,
      ).map(([word]) => String(word))
      const close = words.filter(isClose)
      if (close.length === 0) return []
      return names(
        all(
          `${list} SELECT DISTINCT ${fields} FROM asked CROSS JOIN ${prefix}_word w ON w.tenant = ? AND w.word = k
             CROSS JOIN ${prefix}_name n ON n.key = w.key LIMIT ?`,
          JSON.stringify(close),
          tenant,
          limit,
        ),
      )
    },
    ofPath: async (path) =>
      pathColumn === undefined
        ? []
        : placed(
            all(
              `SELECT ${place} FROM ${table} d JOIN ${prefix}_name n ON n.key = d.s_name
                 WHERE d.tenant = ? AND d.${pathColumn} = ? AND d.removed = 0 LIMIT 10`,
              tenant,
              path,
            ),
          ),
    ofNames: async (keys, limit) =>
      pathColumn === undefined
        ? []
        : placed(
            all(
              `${list} SELECT ${place} FROM asked CROSS JOIN ${table} d ON d.s_name = k AND d.removed = 0
                 CROSS JOIN ${prefix}_name n ON n.key = k LIMIT ?`,
              JSON.stringify(keys),
              limit,
            ),
          ),
    children: async (parents, { from, to }, limit) =>
      pathColumn === undefined || parentColumn === undefined
        ? []
        : placed(
            all(
              `${list} SELECT ${place} FROM asked
                 CROSS JOIN ${table} d ON d.tenant = ? AND d.${parentColumn} = k AND d.removed = 0
                 CROSS JOIN ${prefix}_name n ON n.key = d.s_name AND n.folded >= ? ${upTo('n.folded', to)} LIMIT ?`,
              JSON.stringify(parents),
              tenant,
              from,
              ...some(to),
              limit,
            ),
          ),
  }
}

/** Values that stand in groups, behind the number of documents of each; most frequent first. */
function countedValues(groups: readonly Row[], at: number, isBoolean: boolean): { value: FieldValue; count: number }[] {
  const counts = new Map<Value, number>()
  for (const group of groups) {
    const value = group[at] ?? null
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + Number(group[0]))
  }
  const told = (value: Value): FieldValue => {
    if (isBoolean) return value === 1
    return typeof value === 'bigint' ? Number(value) : value
  }
  return [...counts]
    .map(([value, count]) => ({ value: told(value), count }))
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
}

/** What the exact count of a text that fits more than 10,000 may take of a search. */
const countMilliseconds = 15
const namesAtOnce = 250

/** Counts by name after name until the time is over; then the count is of those that were looked at. */
function countWithin<T>(
  milliseconds: number,
  names: readonly T[],
  count: (some: readonly T[]) => number,
): { count: number; isWhole: boolean } {
  const end = performance.now() + milliseconds
  let sum = 0
  for (let at = 0; at < names.length; at += namesAtOnce) {
    if (performance.now() > end) return { count: sum, isWhole: false }
    sum += count(names.slice(at, at + namesAtOnce))
  }
  return { count: sum, isWhole: true }
}

/** Runs a search on a connection. Synchronous work of a few milliseconds: not for a thread that serves requests. */
export async function runSearch(prepare: Prepare, request: SearchRequest): Promise<SearchAnswer> {
  const { table, search, tenant, text, where, order, page, size, facets, boosts } = request
  // The driver answers arrays once `setReturnArrays` is on; its types do not know that.
  const all = (sql: string, ...values: Value[]) => prepare(sql).all(...values) as unknown as Row[]
  const bind = where.values as readonly Value[]
  const facetColumns = facets.map(({ column }) => `, ${column}`).join('')
  const facetsOf = (groups: readonly Row[]): SearchAnswer['facets'] =>
    Object.fromEntries(facets.map(({ field, isBoolean }, at) => [field, countedValues(groups, at + 1, isBoolean)]))
  const list = 'WITH asked(ord, k) AS MATERIALIZED (SELECT key, value FROM json_each(?))'
  const scoreColumn = search.scoreColumn ?? '0'

  if (text.trim() === '') {
    const from = `FROM ${table} WHERE tenant = ? AND ${where.text}`
    const bodies =
      size === 0
        ? []
        : all(`SELECT body ${from} ORDER BY ${order ?? 'id'} LIMIT ? OFFSET ?`, tenant, ...bind, size, page * size)
    const count = Number(all(`SELECT count(*) ${from}`, tenant, ...bind)[0]?.[0] ?? 0)
    const groupBy = facets.map(({ column }) => column).join(', ')
    const groups =
      facets.length === 0
        ? []
        : all(
            `SELECT count(*)${facetColumns} FROM (SELECT 1${facetColumns} ${from} ORDER BY id LIMIT ?) GROUP BY ${groupBy}`,
            tenant,
            ...bind,
            searchLimit,
          )
    return {
      bodies: bodies.map(([body]) => String(body)),
      count,
      isCountCapped: false,
      isFacetCapped: facets.length > 0 && count > searchLimit,
      facets: facetsOf(groups),
    }
  }

  const store = storeOf(request, all)
  const names = await rankedNames(store, text)
  const places = await rankedPaths(store, text)
  const rows = new Map<Value, Candidate>()
  const take = (found: readonly Row[], candidate: (row: Row) => Omit<Candidate, 'id' | 'score'> | undefined) => {
    for (const row of found) {
      const [, id = null, score] = row
      const fit = candidate(row)
      if (id === null || fit === undefined) continue
      const known = rows.get(id)
      if (known !== undefined && known.rank <= fit.rank) continue
      const own = typeof id === 'string' ? id : Number(id)
      rows.set(id, { id: own, score: Number(score) + (boosts.get(own) ?? 0), rank: fit.rank, folded: fit.folded })
    }
  }
  const byName = ([at]: Row) => names[Number(at)]
  const keyList = JSON.stringify(names.map(({ key }) => key))
  const join = `FROM asked CROSS JOIN ${table}`
  const select = `${list} SELECT ord, id, ${scoreColumn} ${join}`
  const isScored = search.scoreColumn !== undefined
  const plain = isScored ? `AND ${scoreColumn} = 0` : ''
  if (names.length > 0) {
    // Those with a score are few and stand before or behind all others of their rank, so they are read whole.
    if (isScored)
      take(
        all(
          `${select} WHERE s_name = k AND ${scoreColumn} <> 0 AND ${where.text} LIMIT ?`,
          keyList,
          ...bind,
          searchLimit,
        ),
        byName,
      )
    if (boosts.size > 0) {
      const placeOf = new Map(names.map(({ key }, at) => [key, at]))
      const boosted = all(
        `${list} SELECT s_name, id, ${scoreColumn} ${join} WHERE tenant = ? AND id = k AND ${where.text}`,
        JSON.stringify([...boosts.keys()]),
        tenant,
        ...bind,
      )
      take(boosted, ([name]) => names[placeOf.get(Number(name)) ?? -1])
    }
    // The loops run in the order of the names, so the first rows are the best: no more than the page needs, and as
    // many as boosts and paths may have moved away.
    const needed = order === undefined ? (page + 1) * size + boosts.size + places.length : searchLimit
    const limit = Math.min(needed, searchLimit)
    if (limit > 0)
      take(all(`${select} WHERE s_name = k ${plain} AND ${where.text} LIMIT ?`, keyList, ...bind, limit), byName)
  }
  const ofNames = new Set(names.map(({ key }) => Number(key)))
  let besides: Row[] = []
  if (places.length > 0) {
    const found = all(
      `${list} SELECT ord, id, ${scoreColumn}, s_name${facetColumns} ${join} WHERE tenant = ? AND id = k AND ${where.text}`,
      JSON.stringify(places.map(({ id }) => id)),
      tenant,
      ...bind,
    )
    take(found, ([at]) => {
      const place = places[Number(at)]
      return place && { rank: place.rank, folded: foldedCase(place.name) }
    })
    besides = found.filter((row) => !ofNames.has(Number(row[3])))
  }
  const sorted = [...rows.values()].sort((one, other) => compareCandidates(one, other))
  const ids = sorted.slice(0, searchLimit).map(({ id }) => id)
  const from = `${join} WHERE s_name = k AND ${where.text} LIMIT ?`
  const grouped =
    names.length === 0
      ? []
      : all(
          `${list} SELECT count(*)${facetColumns} FROM (SELECT 1${facetColumns} ${from})${facets.length === 0 ? '' : ` GROUP BY ${facets.map(({ column }) => column).join(', ')}`}`,
          keyList,
          ...bind,
          searchLimit,
        )
  const groups = [...grouped, ...besides.map((row) => [1, ...row.slice(4)])]
  // The groups hold every one of the rows looked at, those without a value too: their sum is the count.
  const looked = grouped.reduce((sum, [count]) => sum + Number(count), 0)
  const counting = `${list} SELECT count(*) ${join} WHERE s_name = k AND ${where.text}`
  const rest =
    looked < searchLimit
      ? { count: looked, isWhole: true }
      : countWithin(countMilliseconds, names, (some) =>
          Number(all(counting, JSON.stringify(some.map(({ key }) => key)), ...bind)[0]?.[0] ?? 0),
        )
  const total = Math.max(rest.count, looked) + besides.length
  const isFacetCapped = facets.length > 0 && total > searchLimit
  const pageIds = order === undefined ? ids.slice(page * size, (page + 1) * size) : ids
  const bodies =
    size === 0 || pageIds.length === 0
      ? []
      : order === undefined
        ? all(
            `${list} SELECT body FROM asked CROSS JOIN ${table} WHERE tenant = ? AND id = k AND removed = 0`,
            JSON.stringify(pageIds),
            tenant,
          )
        : all(
            `${list} SELECT body FROM asked CROSS JOIN ${table} WHERE tenant = ? AND id = k AND removed = 0 ORDER BY ${order} LIMIT ? OFFSET ?`,
            JSON.stringify(pageIds),
            tenant,
            size,
            page * size,
          )
  return {
    bodies: bodies.map(([body]) => String(body)),
    count: total,
    isCountCapped: !rest.isWhole,
    isFacetCapped,
    facets: facetsOf(groups),
  }
}

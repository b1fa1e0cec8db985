import { rankedNames, searchLimit } from '../search/candidates.ts'
import type { Rank } from '../search/rank.ts'
import type { RankedSlots } from '../search/ranked-slots.ts'
import { typoKeys } from '../search/words.ts'
import type { CachedNames } from './followed-names.ts'
import { allowedGroups, firstRows, rowsOfGroups } from './group-rows.ts'
import { facetColumns, groupedByFacets } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'
import { tableStore, wordsLike } from './table-store.ts'

interface MatchingName {
  key: number
  rank: Rank
  folded: string
}

/** The names that match a text, and the counts of their documents. */
export interface MatchingNames {
  /**
   * The best names in order, at most 10,000. If the counts are known, there are enough of them for `documents`
   * documents.
   */
  best(documents: number): MatchingName[]
  at(key: number): MatchingName | undefined
  /** An estimate of the number of matching documents, from the stored counts; infinite if there are none. */
  documents(): number
  /** The first 10,000 documents as rows (a number, then the facets' values), and the count of all documents. */
  counted(): { rows: Row[]; count: number; isCapped: boolean }
}

/** Time limit of the exact count of more than 10,000 matches, for searches that cannot use the stored counts. */
const countMilliseconds = 15
const namesAtOnce = 250

/** Counts batch by batch until the time limit. The count covers only the names counted by then. */
function countWithin<T>(
  names: readonly T[],
  count: (some: readonly T[]) => number,
): { count: number; isWhole: boolean } {
  const end = performance.now() + countMilliseconds
  let sum = 0
  for (let at = 0; at < names.length; at += namesAtOnce) {
    if (performance.now() > end) return { count: sum, isWhole: false }
    sum += count(names.slice(at, at + namesAtOnce))
  }
  return { count: sum, isWhole: true }
}

/** Counts the documents of names by reading them. */
function countedOneByOne(request: SearchRequest, all: All, names: readonly MatchingName[]) {
  if (names.length === 0) return { rows: [], count: 0, isCapped: false }
  const { table, where } = request
  const columns = facetColumns(request)
  const list = 'WITH asked(ord, k) AS MATERIALIZED (SELECT key, value FROM json_each(?))'
  const from = `FROM asked CROSS JOIN ${table} WHERE s_name = k AND ${where.text}`
  const keys = (some: readonly MatchingName[]) => JSON.stringify(some.map(({ key }) => key))
  const rows = all(
    `${list} SELECT count(*)${columns} FROM (SELECT 1${columns} ${from} LIMIT ?)${groupedByFacets(request)}`,
    keys(names),
    ...where.values,
    searchLimit,
  )
  // The groups include documents without a value, so the sum of the groups is the count.
  const read = rows.reduce((sum, [count]) => sum + Number(count), 0)
  if (read < searchLimit) return { rows, count: read, isCapped: false }
  const { count, isWhole } = countWithin(names, (some) =>
    Number(all(`${list} SELECT count(*) ${from}`, keys(some), ...where.values)[0]?.[0] ?? 0),
  )
  return { rows, count: Math.max(count, read), isCapped: !isWhole }
}

/** Finds the names in the tables. */
export async function namesOfTables(request: SearchRequest, all: All): Promise<MatchingNames> {
  const ranked = await rankedNames(tableStore(request, all), request.text)
  const names = ranked.map(({ key, rank, folded }) => ({ key: Number(key), rank, folded }))
  const byKey = new Map(names.map((name) => [name.key, name]))
  return {
    best: () => names,
    at: (key) => byKey.get(key),
    documents: () => Number.POSITIVE_INFINITY,
    counted: () => countedOneByOne(request, all, names),
  }
}

const ranks: readonly Rank[] = [0, 1, 2, 3, 4]

/**
 * Finds the names in memory. Uses the stored counts if `isOfGroups`. The result is valid until the next search of the
 * same names.
 */
export function namesInMemory(kept: CachedNames, request: SearchRequest, all: All, isOfGroups: boolean): MatchingNames {
  const { index, counts, sums } = kept
  const matches = index.match(request.text, (word) => wordsLike(request, all, typoKeys(word)))
  const total = (byGroup: Float64Array) => byGroup.reduce((sum, each) => sum + each, 0)
  const allowed = allowedGroups(kept, isOfGroups ? request : { ...request, ofGroups: undefined }, all)
  let inOrder: RankedSlots | undefined
  const ordered = () => {
    inOrder ??= matches.ordered()
    return inOrder
  }
  const nameOf = (slot: number): MatchingName => ({
    key: index.key(slot),
    rank: ranks[matches.rank(slot) ?? 4] ?? 4,
    folded: index.folded(slot),
  })
  function best(documents: number): MatchingName[] {
    const found: MatchingName[] = []
    const slots = ordered()
    let left = documents
    for (let at = 0; at < slots.length && found.length < searchLimit; at += 1) {
      const slot = slots.slot(at)
      const count = counts.count(slot, allowed)
      if (count === 0) continue
      const name = nameOf(slot)
      const last = found.at(-1)
      // Names that differ only by case are tied, so all of them are needed.
      if (left <= 0 && (name.rank !== last?.rank || name.folded !== last.folded)) break
      found.push(name)
      if (isOfGroups) left -= count
    }
    return found
  }
  return {
    best,
    at(key) {
      const slot = index.slotOf(key)
      return slot === undefined || matches.rank(slot) === undefined ? undefined : nameOf(slot)
    },
    documents: () => total(sums.of(matches, allowed)),
    counted() {
      if (!isOfGroups) return countedOneByOne(request, all, best(searchLimit))
      const byGroup = sums.of(matches, allowed)
      const count = total(byGroup)
      // Facets cover only the best 10,000 documents, so the order is computed only that far.
      const rows =
        count > searchLimit ? firstRows(kept, request, all, ordered(), allowed) : rowsOfGroups(kept, request, byGroup)
      return { rows, count, isCapped: false }
    },
  }
}

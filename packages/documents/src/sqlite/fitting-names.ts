import { rankedNames, searchLimit } from '../search/candidates.ts'
import type { Rank } from '../search/rank.ts'
import type { RankedSlots } from '../search/ranked-slots.ts'
import { typoKeys } from '../search/words.ts'
import type { KeptNames } from './followed-names.ts'
import { allowedGroups, firstRows, rowsOfGroups } from './kept-counting.ts'
import { facetColumns, groupedByFacets } from './search-facets.ts'
import type { All, Row, SearchRequest } from './search-request.ts'
import { tableStore, wordsLike } from './table-store.ts'

interface FittingName {
  key: number
  rank: Rank
  folded: string
}

/** Names that fit a text, and their documents counted. */
export interface FittingNames {
  /** The best names, in order: enough of them for `documents` documents where that is known, and at most 10,000. */
  best(documents: number): FittingName[]
  at(key: number): FittingName | undefined
  /** Documents of these names, as far as kept counts say what the conditions let through; endless where there are none. */
  documents(): number
  /** Rows of a number and the facets' values, of the first 10,000 documents; and how many documents there are. */
  counted(): { rows: Row[]; count: number; isCapped: boolean }
}

/** What the exact count of a text that fits more than 10,000 may take of a search that cannot go by kept counts. */
const countMilliseconds = 15
const namesAtOnce = 250

/** Counts by name after name until the time is over; then the count is of those that were looked at. */
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

/** Counts the documents of names one by one. */
function countedOneByOne(request: SearchRequest, all: All, names: readonly FittingName[]) {
  if (names.length === 0) return { rows: [], count: 0, isCapped: false }
  const { table, where } = request
  const columns = facetColumns(request)
  const list = 'WITH asked(ord, k) AS MATERIALIZED (SELECT key, value FROM json_each(?))'
  const from = `FROM asked CROSS JOIN ${table} WHERE s_name = k AND ${where.text}`
  const keys = (some: readonly FittingName[]) => JSON.stringify(some.map(({ key }) => key))
  const rows = all(
    `${list} SELECT count(*)${columns} FROM (SELECT 1${columns} ${from} LIMIT ?)${groupedByFacets(request)}`,
    keys(names),
    ...where.values,
    searchLimit,
  )
  // The groups hold every one of the rows looked at, those without a value too: their sum is the count.
  const looked = rows.reduce((sum, [count]) => sum + Number(count), 0)
  if (looked < searchLimit) return { rows, count: looked, isCapped: false }
  const { count, isWhole } = countWithin(names, (some) =>
    Number(all(`${list} SELECT count(*) ${from}`, keys(some), ...where.values)[0]?.[0] ?? 0),
  )
  return { rows, count: Math.max(count, looked), isCapped: !isWhole }
}

/** By the tables of names. */
export async function namesOfTables(request: SearchRequest, all: All): Promise<FittingNames> {
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

/** By the names in memory; counted by kept counts where `isOfGroups`. Until the next search of the same names. */
export function namesInMemory(kept: KeptNames, request: SearchRequest, all: All, isOfGroups: boolean): FittingNames {
  const { index, counts, sums } = kept
  const matches = index.match(request.text, (word) => wordsLike(request, all, typoKeys(word)))
  const total = (byGroup: Float64Array) => byGroup.reduce((sum, each) => sum + each, 0)
  const allowed = allowedGroups(kept, isOfGroups ? request : { ...request, ofGroups: undefined }, all)
  let inOrder: RankedSlots | undefined
  const ordered = () => {
    inOrder ??= matches.ordered()
    return inOrder
  }
  const nameOf = (slot: number): FittingName => ({
    key: index.key(slot),
    rank: ranks[matches.rank(slot) ?? 4] ?? 4,
    folded: index.folded(slot),
  })
  function best(documents: number): FittingName[] {
    const found: FittingName[] = []
    const slots = ordered()
    let left = documents
    for (let at = 0; at < slots.length && found.length < searchLimit; at += 1) {
      const slot = slots.slot(at)
      const count = counts.count(slot, allowed)
      if (count === 0) continue
      const name = nameOf(slot)
      const last = found.at(-1)
      // Those that differ by case alone are one place in the order.
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
      // Of more than are told of by facets the first are looked for, best first; the order is made no further than that.
      const rows =
        count > searchLimit ? firstRows(kept, request, all, ordered(), allowed) : rowsOfGroups(kept, request, byGroup)
      return { rows, count, isCapped: false }
    },
  }
}

import { createGroupCounts, type GroupCounts } from '../search/group-counts.ts'
import { createNameIndex, type NameIndex } from '../search/name-index.ts'
import { createWordSums, type WordSums } from '../search/word-sums.ts'
import { allNames } from './counts.ts'
import type { All, Row, Value } from './search-request.ts'
import type { SearchTable } from './table.ts'

/** Number of names per query, which takes a few milliseconds. */
const namesAtOnce = 1_000
const mostFresh = 2_000

/** The names of a tenant with their counts, in memory. */
export interface CachedNames {
  index: NameIndex
  counts: GroupCounts
  sums: WordSums
  /** Cached rows of the first documents of names. Any change clears the cache. */
  firsts: Map<string, readonly Row[]>
  /** Number of documents without a name, by group. */
  nameless: readonly number[]
  /** Values of each group, in the order of `includedColumns`. */
  groups: ReadonlyMap<number, Row>
  /** The highest id of a group; 0 if there is none. */
  lastGroup: number
}

export interface FollowedNames {
  /** Reads some of the missing names; true once none is missing. */
  load(): boolean
  /**
   * The names as of the connection's snapshot, if few changes are missing. Otherwise `undefined`; the caller should
   * then call `load`.
   */
  now(): CachedNames | undefined
  readonly size: number
}

/**
 * Follows the names and counts of one tenant. Holds at most `mostNames` names. For a tenant with more, `now` always
 * returns `undefined`.
 */
export function followNames(options: {
  search: SearchTable
  tenant: string
  all: All
  mostNames: number
}): FollowedNames {
  const { search, tenant, all, mostNames } = options
  const { prefix, includedColumns } = search
  const groups = new Map<number, Row>()
  const firsts = new Map<string, readonly Row[]>()
  const groupFields = ['gid', ...includedColumns].join(', ')
  let index = createNameIndex()
  let counts = createGroupCounts()
  let sums = createWordSums(index, counts)
  let nameless: number[] = []
  let lastGroup = 0
  let lastKey = 0
  /** The last change that was applied; `undefined` before the first. */
  let lastChange: number | undefined
  let isWhole = false
  let isTooMuch = false

  const number = (value: Value | undefined) => Number(value ?? 0)
  const maxChange = () => number(all(`SELECT max(seq) FROM ${prefix}_change`)[0]?.[0])

  function empty(): void {
    index = createNameIndex()
    counts = createGroupCounts()
    sums = createWordSums(index, counts)
  }

  function begin(): void {
    lastChange = maxChange()
    groups.clear()
    firsts.clear()
    lastGroup = 0
    empty()
    lastKey = 0
    isWhole = false
    readNameless()
  }

  function readGroups(): void {
    const sql = `SELECT ${groupFields} FROM ${prefix}_group WHERE gid > ? AND tenant = ? ORDER BY gid`
    for (const [gid, ...values] of all(sql, lastGroup, tenant)) {
      lastGroup = number(gid)
      groups.set(lastGroup, values)
    }
  }

  function readNameless(): void {
    readGroups()
    const rows = all(`SELECT gid, n FROM ${prefix}_count WHERE key = 0`)
    nameless = rows.flatMap(([gid, n]) => (groups.has(number(gid)) ? [number(gid), number(n)] : []))
  }

  function readCounts(keys: readonly number[]): void {
    const pairs = new Map<number, number[]>(keys.map((key) => [key, []]))
    const rows = all(
      `WITH asked(k) AS MATERIALIZED (SELECT value FROM json_each(?))
         SELECT c.key, c.gid, c.n FROM asked CROSS JOIN ${prefix}_count c ON c.key = k`,
      JSON.stringify(keys),
    )
    for (const [key, gid, n] of rows) pairs.get(number(key))?.push(number(gid), number(n))
    for (const [key, own] of pairs) {
      const slot = index.slotOf(key)
      if (slot !== undefined) sums.set(slot, own)
    }
  }

  /** Reads the next names with their counts. Returns their number. */
  function readNames(most: number): number {
    const rows = all(
      `SELECT key, name FROM ${prefix}_name WHERE key > ? AND +tenant = ? ORDER BY key LIMIT ?`,
      lastKey,
      tenant,
      most,
    )
    for (const [key, name] of rows) {
      lastKey = number(key)
      index.add(lastKey, String(name))
    }
    if (rows.length > 0) readCounts(rows.map(([key]) => number(key)))
    return rows.length
  }

  /** Applies the changes since the last call; false if there are too many, or if some of them are already deleted. */
  function readChanges(most: number): boolean {
    if (lastChange === undefined) return false
    const until = maxChange()
    if (until === lastChange) return true
    firsts.clear()
    const first = number(all(`SELECT min(seq) FROM ${prefix}_change`)[0]?.[0])
    const isLost =
      first > lastChange + 1 ||
      until < lastChange ||
      all(`SELECT 1 FROM ${prefix}_change WHERE seq > ? AND key = ? LIMIT 1`, lastChange, allNames).length > 0
    if (isLost) {
      begin()
      return false
    }
    const upTo = Math.min(until, lastChange + most)
    const keys = all(`SELECT DISTINCT key FROM ${prefix}_change WHERE seq > ? AND seq <= ?`, lastChange, upTo).map(
      ([key]) => number(key),
    )
    readNameless()
    readCounts(keys.filter((key) => key > 0))
    lastChange = upTo
    return upTo === until
  }

  function renumber(): void {
    const order = index.renumber()
    if (order !== undefined) counts.renumber(order)
  }

  return {
    load() {
      if (isTooMuch) return true
      if (lastChange === undefined) begin()
      if (index.size > mostNames) {
        isTooMuch = true
        empty()
        return true
      }
      isWhole = readNames(namesAtOnce) < namesAtOnce && readChanges(mostFresh)
      if (isWhole) renumber()
      return isWhole
    },
    now() {
      if (!isWhole || isTooMuch) return undefined
      // Applies changes first, because new names are read with their current counts.
      isWhole = readChanges(mostFresh) && readNames(mostFresh) < mostFresh
      if (isWhole) renumber()
      return isWhole ? { index, counts, sums, firsts, nameless, groups, lastGroup } : undefined
    },
    get size() {
      return index.size
    },
  }
}

/** The followed names of the recently searched tenants, `mostNames` in total. */
export function followAll(all: All, mostNames: number) {
  const followed = new Map<string, FollowedNames>()
  return {
    of(search: SearchTable, tenant: string): FollowedNames {
      const at = JSON.stringify([search.prefix, search.includedColumns, tenant])
      const known = followed.get(at)
      const found = known ?? followNames({ search, tenant, all, mostNames })
      // Moves the tenant to the end, because the map is in the order of last use.
      followed.delete(at)
      followed.set(at, found)
      let sum = [...followed.values()].reduce((total, { size }) => total + size, 0)
      for (const [other, { size }] of followed) {
        if (sum <= mostNames && followed.size <= 1_000) break
        if (other === at) break
        followed.delete(other)
        sum -= size
      }
      return found
    },
  }
}

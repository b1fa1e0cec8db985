import type { Collection, Document } from 'mongodb'
import type { Condition, DocumentId, SearchFields } from '../port.ts'
import {
  type Candidate,
  compareCandidates,
  type RankedName,
  rankedNames,
  rankedPaths,
  searchLimit,
} from '../search/candidates.ts'
import { foldedCase } from '../text.ts'
import { filterOf } from './filter.ts'
import { type Reading, readFirst, tiesOf } from './first-of-names.ts'
import { type Group, groupedBy, sumOf } from './groups.ts'
import { valuePath } from './layout.ts'
import { nameStore } from './name-store.ts'
import type { NameRecord, WordRecord } from './names.ts'
import { type DocumentRecord, idOf, type RecordValue } from './record.ts'

export interface MongoSearch {
  records: Collection<DocumentRecord>
  names: Collection<NameRecord>
  words: Collection<WordRecord>
  tenant: string
  search: SearchFields
  text: string
  where: readonly Condition[]
  /** The latest `since` of included records. */
  upTo: number | undefined
  facets: readonly string[]
  boosts: ReadonlyMap<DocumentId, number>
  maxTimeMS: number
}
export interface Hits {
  /** Best first. */
  ids: DocumentId[]
  /** The number of matches, exact if they could be counted in time. */
  count: number
  isCountCapped: boolean
  /** The first 10,000 matches grouped by the values of the facets. */
  groups: Group[]
}

/** Time limit of the exact count if a text matches more than 10,000 documents. */
const countMilliseconds = 150
/** Number of names in the first query of a count. */
const firstCounted = 8
const countedAtOnce = 128

const byId = { $sort: { [valuePath('id')]: 1 } }

/** The queries of a search on the documents. */
function documentsOf({ records, tenant, search, where, upTo, facets, maxTimeMS }: MongoSearch) {
  const named = (names: readonly string[]): Condition => ({ field: search.name, in: names })
  const filter = filterOf(tenant, where, upTo)
  const fields = ['id', search.name, ...(search.score === undefined ? [] : [search.score]), ...facets]
  const project = { $project: { _id: 0, ...Object.fromEntries(fields.map((field) => [valuePath(field), 1])) } }
  const asked = <T extends Document>(first: Condition, more: readonly Condition[], stages: readonly Document[]) =>
    records
      .aggregate<T>(
        [
          // The condition that the index of one field can answer comes first, because some MongoDB-compatible servers
          // use no index for a filter with other fields.
          { $match: filterOf(tenant, [first]) },
          { $match: filter },
          ...(more.length === 0 ? [] : [{ $match: filterOf(tenant, more) }]),
          ...stages,
        ],
        { maxTimeMS },
      )
      .toArray()

  return {
    /** Records with the fields for ranking and facets. */
    rows: (first: Condition, more: readonly Condition[], limit: number) =>
      asked<DocumentRecord>(first, more, [{ $limit: limit }, project]),
    async ofNames(names: readonly string[], more: readonly Condition[], most: number, whole: boolean) {
      const stages = whole ? [{ $limit: most + 1 }] : [byId, { $limit: most }]
      const rows = await asked<DocumentRecord>(named(names), more, [...stages, project])
      return { rows, count: rows.length }
    },
    async groupsOfNames(
      names: readonly string[],
      most: number,
      whole: boolean,
    ): Promise<Reading & { groups: Group[] }> {
      const stages = whole ? [{ $limit: most + 1 }] : [byId, { $limit: most }]
      const groups = await asked<Group>(named(names), [], [...stages, groupedBy(facets)])
      return { groups, count: sumOf(groups) }
    },
    /**
     * The number of documents with these names; `undefined` if counting takes too long. Each round counts twice as many
     * names as the one before. A round begins only if it is likely to end in time, because some servers do not stop a
     * query at its time limit.
     */
    async counted(names: readonly string[]): Promise<number | undefined> {
      const end = performance.now() + Math.min(countMilliseconds, maxTimeMS)
      const countOf = async (some: readonly string[]): Promise<number> =>
        sumOf(await asked<Group>(named(some), [], [groupedBy([])]))
      let sum = 0
      let last = 0
      for (let at = 0, size = firstCounted; at < names.length; at += size, size *= 2) {
        const began = performance.now()
        if (began + 2 * last > end) return undefined
        const some = names.slice(at, at + size)
        const questions = Array.from({ length: Math.ceil(some.length / countedAtOnce) }, (_, slice) =>
          countOf(some.slice(slice * countedAtOnce, (slice + 1) * countedAtOnce)),
        )
        for (const count of await Promise.all(questions)) sum += count
        last = performance.now() - began
      }
      return sum
    },
  }
}

/**
 * The documents that match a text: the first `most`, best first, and the number of all. Reads the documents of the best
 * names until there are enough, so the time depends on the size of the result and not on the number of matches.
 */
export async function searchHits(asked: MongoSearch, most: number): Promise<Hits> {
  const { search, text, facets, boosts } = asked
  const store = nameStore(asked)
  const names = await rankedNames(store, text)
  const byPath = new Map((await rankedPaths(store, text)).map((path) => [path.id, path]))
  const ties = tiesOf(names)
  const byName = new Map<string, RankedName>(names.map((name) => [name.name, name]))
  const documents = documentsOf(asked)
  const nameOf = ({ f }: DocumentRecord) => byName.get(String(f?.[search.name] ?? ''))

  const found = new Map<DocumentId, Candidate>()
  const take = (rows: readonly DocumentRecord[]): void => {
    for (const record of rows) {
      const id = idOf(record)
      const name = nameOf(record)
      const path = byPath.get(id)
      const rank = [name?.rank, path?.rank].filter((each) => each !== undefined).sort((a, b) => a - b)[0]
      if (rank === undefined) continue
      const own = search.score === undefined ? 0 : Number(record.f?.[search.score] ?? 0)
      const folded = name?.folded ?? foldedCase(path?.name ?? '')
      found.set(id, { id, rank, folded, score: own + (boosts.get(id) ?? 0) })
    }
  }

  // Reads all documents that have a score, a boost or a matching path, because these change the order.
  const scored: readonly Condition[] = search.score === undefined ? [] : [{ field: search.score, not: 0 }]
  const unscored: readonly Condition[] = search.score === undefined ? [] : [{ field: search.score, is: 0 }]
  const ofIds = (ids: readonly DocumentId[]) =>
    ids.length === 0 ? [] : documents.rows({ field: 'id', in: ids }, [], searchLimit)
  take(await ofIds([...boosts.keys()]))
  const foundByPath = await ofIds([...byPath.keys()])
  take(foundByPath)
  if (scored.length > 0) {
    const moved = await readFirst(ties, searchLimit, (some, limit, whole) =>
      documents.ofNames(some, scored, limit, whole),
    )
    for (const { rows } of moved.readings) take(rows)
  }
  const needed = most === 0 ? 0 : Math.min(most + found.size, searchLimit)
  const [page, first] = await Promise.all([
    readFirst(ties, needed, (some, limit, whole) => documents.ofNames(some, unscored, limit, whole)),
    readFirst(ties, searchLimit, documents.groupsOfNames),
  ])
  for (const { rows } of page.readings) take(rows)
  const rest = ties.slice(first.wholeTies).flatMap((tie) => tie.names)
  const others = rest.length === 0 ? 0 : await documents.counted(rest)
  // Documents that match only by their path.
  const unnamed = foundByPath.filter((record) => nameOf(record) === undefined)
  const unnamedGroups = unnamed.map(({ f }): Group => {
    const values = facets.flatMap((field): [string, RecordValue][] => {
      const value = f?.[field]
      return value === undefined ? [] : [[field, value]]
    })
    return { _id: Object.fromEntries(values), count: 1 }
  })
  const sorted = [...found.values()].sort(compareCandidates)
  return {
    ids: sorted.slice(0, most).map(({ id }) => id),
    count: (others === undefined ? first.count : first.wholeCount + others) + unnamed.length,
    isCountCapped: others === undefined,
    groups: [...first.readings.flatMap(({ groups }) => groups), ...unnamedGroups],
  }
}

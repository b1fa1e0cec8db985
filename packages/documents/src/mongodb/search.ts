import type { Collection, Filter, FindCursor } from 'mongodb'
import type { Condition, DocumentId, FieldValue, SearchFields } from '../port.ts'
import {
  type Candidate,
  compareCandidates,
  type KnownName,
  type Placed,
  type RankedName,
  rankedNames,
  rankedPaths,
  type SearchStore,
  searchLimit,
  type TextRange,
} from '../search/candidates.ts'
import { foldedCase } from '../text.ts'
import { filterOf } from './filter.ts'
import { foldedPath, valuePath } from './layout.ts'
import { type NameRecord, runsOf } from './names.ts'
import { type DocumentRecord, idOf, type RecordValue, written } from './record.ts'

/** Documents of one answer of the server. */
const atOnce = 1_000
/**
 * Names in one filter, and filters at once. A server may hold each document that it finds against every name of the filter
 * (SecantusDB does), so that many names in one cost more than the round trips of some with few.
 */
const namesAtOnce = 32
const filtersAtOnce = 8
/** Names counted at once. */
const countedAtOnce = 1_000

export interface MongoSearch {
  records: Collection<DocumentRecord>
  names: Collection<NameRecord>
  tenant: string
  search: SearchFields
  text: string
  where: readonly Condition[]
  /** The latest `since` that may be found. */
  upTo: number | undefined
  facets: readonly string[]
  boosts: ReadonlyMap<DocumentId, number>
  maxTimeMS: number
}
export interface Hits {
  /** Best first, at most 10,000. */
  ids: DocumentId[]
  /** There are more than the ids. */
  isCapped: boolean
  /** All that fit, as far as they could be counted in time. */
  count: number
  isCountCapped: boolean
  /** Values of the facets, row by row. */
  rows: DocumentRecord[]
}

const within = ({ from, to }: TextRange) => (to === undefined ? { $gte: from } : { $gte: from, $lt: to })

/**
 * The first documents that fit, of those that a filter finds. Filters name the fields of one index and nothing else, and
 * the rest is looked at here: not every server of this protocol finds an index for a filter that goes beyond it.
 */
async function taken<T>(cursor: FindCursor<T>, fits: (document: T) => boolean, limit: number): Promise<T[]> {
  const found: T[] = []
  for await (const document of cursor.batchSize(atOnce)) {
    if (fits(document)) found.push(document)
    if (found.length >= limit) break
  }
  return found
}

/** From frequent to rare, in names of English words. */
const letters = 'etaonirsdlcumphgyfvbwkxjqz'

/** The run that few names are likely to hold: its rarest letter is the rarest; what is no Latin letter is rare. */
function rarest(runs: readonly string[]): string {
  const rarity = (run: string) =>
    Math.max(...Array.from(run, (letter) => (letters.includes(letter) ? letters.indexOf(letter) : letters.length)))
  return runs.reduce((best, run) => (rarity(run) > rarity(best) ? run : best), runs[0] ?? '')
}

function storeOf({ records, names, tenant, search, maxTimeMS }: MongoSearch): SearchStore {
  const projection = { _id: 0, name: 1, folded: 1, squashed: 1 }
  const known = async (filter: Filter<NameRecord>, limit: number): Promise<KnownName[]> => {
    const found = await names.find({ tenant, ...filter }, { projection, limit, maxTimeMS }).toArray()
    return found.map(({ name, folded, squashed }) => ({ key: name, name, folded, squashed }))
  }
  const { path, parent, score } = search
  const fields = ['id', search.name, path, score].flatMap((field) => (field === undefined ? [] : [valuePath(field)]))
  const placed = async (filter: Filter<DocumentRecord>, limit: number): Promise<Placed[]> => {
    const found = await records
      .find(filter, { projection: Object.fromEntries(fields.map((field) => [field, 1])), limit, maxTimeMS })
      .toArray()
    return found.map((record) => ({
      id: idOf(record),
      name: String(record.f?.[search.name] ?? ''),
      path: String(path === undefined ? '' : (record.f?.[path] ?? '')),
      score: Number(score === undefined ? 0 : (record.f?.[score] ?? 0)),
    }))
  }
  const live = { tenant, live: true }

  return {
    typosAreClose: false,
    tailsAreContained: true,
    exact: (folded, limit) => known({ folded: { $in: [...folded] } }, limit),
    prefix: (range, limit) => known({ squashed: within(range) }, limit),
    tails: (range, limit) => known({ tails: { $elemMatch: within(range) } }, limit),
    containing: async (squashed, limit) => {
      const length = Math.min(3, Array.from(squashed).length)
      const filter = { tenant, tokens: { $in: [rarest(runsOf(squashed, length))] } }
      const fits = (name: NameRecord) => name.squashed.includes(squashed)
      const found = await taken(names.find(filter, { projection, maxTimeMS }), fits, limit)
      return found.map(({ name, folded, squashed: text }) => ({ key: name, name, folded, squashed: text }))
    },
    typos: (keys, _isClose, limit) => known({ tokens: { $in: keys.map((key) => `~${key}`) } }, limit),
    ofPath: async (asked) => (path === undefined ? [] : placed({ ...live, [valuePath(path)]: asked }, 10)),
    ofNames: async (keys, limit) =>
      path === undefined ? [] : placed({ ...live, [valuePath(search.name)]: { $in: keys.map(String) } }, limit),
    children: async (parents, range, limit) =>
      path === undefined || parent === undefined
        ? []
        : placed(
            {
              ...live,
              [valuePath(parent)]: { $in: [...parents] },
              $and: [{ [foldedPath(search.name)]: within(range) }],
            },
            limit,
          ),
  }
}

/** What the exact count of a text that fits more than 10,000 may take of a search. */
const countMilliseconds = 150

type Equality = Extract<Condition, { is: FieldValue }>

/** Whether a value that is stored is the one that is asked for. A date stands for null. */
function isWritten(stored: RecordValue | undefined, asked: FieldValue): boolean {
  return stored instanceof Date ? asked === null : stored === written(asked)
}

/** All documents of these names; nothing when to count them takes too long. */
async function counted(asked: MongoSearch, names: readonly RankedName[]): Promise<number | undefined> {
  const { records, tenant, search, where, upTo, maxTimeMS } = asked
  const end = performance.now() + Math.min(countMilliseconds, maxTimeMS)
  let sum = 0
  for (let at = 0; at < names.length; at += countedAtOnce) {
    const left = end - performance.now()
    if (left < 1) return undefined
    const some = names.slice(at, at + countedAtOnce).map(({ name }) => name)
    const filter = filterOf(tenant, [...where, { field: search.name, in: some }], upTo)
    sum += await records.countDocuments(filter, { maxTimeMS })
  }
  return sum
}

/** What fits a text, best first. */
export async function searchHits(asked: MongoSearch): Promise<Hits> {
  const { records, tenant, search, text, where, upTo, facets, boosts, maxTimeMS } = asked
  const store = storeOf(asked)
  const names = await rankedNames(store, text)
  const places = await rankedPaths(store, text)
  const byName = new Map<string, RankedName>(names.map((name) => [name.name, name]))
  const byId = new Map(places.map((place) => [place.id, place]))
  const here = where.filter((condition): condition is Equality => 'is' in condition)
  const there = where.filter((condition) => !('is' in condition))
  const fits = ({ f }: DocumentRecord) => here.every(({ field, is }) => isWritten(f?.[field], is))
  const scored = search.score === undefined ? [] : [search.score]
  const wanted = ['id', search.name, ...scored, ...facets, ...here.map(({ field }) => field)]
  const projection = Object.fromEntries(wanted.map((field) => [valuePath(field), 1]))
  const found = new Map<DocumentId, { candidate: Candidate; record: DocumentRecord }>()

  async function take(more: readonly Condition[], limit: number): Promise<void> {
    const filter = filterOf(tenant, [...there, ...more], upTo)
    for (const record of await taken(records.find(filter, { projection, maxTimeMS }), fits, limit)) {
      const id = idOf(record)
      const name = byName.get(String(record.f?.[search.name] ?? ''))
      const place = byId.get(id)
      const folded = name?.folded ?? foldedCase(place?.name ?? '')
      const rank = [name?.rank, place?.rank].filter((each) => each !== undefined).sort((a, b) => a - b)[0]
      if (rank === undefined) continue
      const own = search.score === undefined ? 0 : Number(record.f?.[search.score] ?? 0)
      found.set(id, { candidate: { id, rank, folded, score: own + (boosts.get(id) ?? 0) }, record })
    }
  }

  if (boosts.size > 0) await take([{ field: 'id', in: [...boosts.keys()] }], searchLimit)
  if (places.length > 0) await take([{ field: 'id', in: places.map(({ id }) => id) }], searchLimit)
  async function takeNames(from: number): Promise<void> {
    const some = names.slice(from, from + namesAtOnce).map(({ name }) => name)
    if (some.length === 0) return
    const ofNames: Condition = { field: search.name, in: some }
    if (search.score !== undefined) await take([ofNames, { field: search.score, from: 1 }], searchLimit)
    await take([ofNames], searchLimit + 1)
  }
  for (let at = 0; at < names.length && found.size <= searchLimit; at += filtersAtOnce * namesAtOnce)
    await Promise.all(Array.from({ length: filtersAtOnce }, (_, filter) => takeNames(at + filter * namesAtOnce)))
  const sorted = [...found.values()].sort((one, other) => compareCandidates(one.candidate, other.candidate))
  const kept = sorted.slice(0, searchLimit)
  const isCapped = sorted.length > searchLimit
  const total = isCapped ? await counted(asked, names) : sorted.length
  return {
    ids: kept.map(({ candidate }) => candidate.id),
    isCapped,
    count: total ?? searchLimit,
    isCountCapped: total === undefined,
    rows: kept.map(({ record }) => record),
  }
}

/** The values of a field in records, most frequent first. */
export function countedValues(rows: readonly DocumentRecord[], field: string): { value: FieldValue; count: number }[] {
  const counts = new Map<string | number | boolean, number>()
  for (const { f } of rows) {
    const value = f?.[field]
    // A date stands for null.
    if (value !== undefined && !(value instanceof Date)) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
}

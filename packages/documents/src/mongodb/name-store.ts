import type { Collection, Filter, FindCursor } from 'mongodb'
import type { SearchFields } from '../port.ts'
import type { KnownName, PathDocument, SearchStore, TextRange } from '../search/candidates.ts'
import { foldedPath, valuePath } from './layout.ts'
import { beginningToken, buckets, type NameRecord, runsOf, type WordRecord, wordToken } from './names.ts'
import { type DocumentRecord, idOf } from './record.ts'

/** Number of documents per batch of the server. */
const atOnce = 1_000

const within = ({ from, to }: TextRange) => (to === undefined ? { $gte: from } : { $gte: from, $lt: to })

/**
 * The first `limit` documents that the cursor finds and `fits` accepts. Filters use only the fields of one index, and
 * `fits` checks the other conditions, because some MongoDB-compatible servers use no index for a filter with other
 * fields.
 */
async function firstMatching<T>(cursor: FindCursor<T>, fits: (document: T) => boolean, limit: number): Promise<T[]> {
  const found: T[] = []
  for await (const document of cursor.batchSize(atOnce)) {
    if (fits(document)) found.push(document)
    if (found.length >= limit) break
  }
  return found
}

/** Letters from frequent to rare in English. */
const letters = 'etaonirsdlcumphgyfvbwkxjqz'

/**
 * Of these runs of characters, the one that the fewest names are likely to contain. Each run is judged by its rarest
 * letter. Characters other than Latin letters count as rare.
 */
function rarest(runs: readonly string[]): string {
  const rarity = (run: string) =>
    Math.max(...Array.from(run, (letter) => (letters.includes(letter) ? letters.indexOf(letter) : letters.length)))
  return runs.reduce((best, run) => (rarity(run) > rarity(best) ? run : best), runs[0] ?? '')
}

const knownOf = ({ name, folded, squashed }: NameRecord): KnownName => ({ key: name, name, folded, squashed })

/** Number of buckets that are read first, to estimate how many names have a token. */
const firstBuckets = 4

/** Reads the names of a collection, and documents by name and by path. */
export function nameStore({
  records,
  names,
  words,
  tenant,
  search,
  maxTimeMS,
}: {
  records: Collection<DocumentRecord>
  names: Collection<NameRecord>
  words: Collection<WordRecord>
  tenant: string
  search: SearchFields
  maxTimeMS: number
}): SearchStore {
  const projection = { _id: 0, name: 1, folded: 1, squashed: 1 }
  const known = async (filter: Filter<NameRecord>, limit: number): Promise<KnownName[]> => {
    const found = await names
      .find({ tenant, ...filter }, { projection, limit, maxTimeMS })
      .batchSize(limit)
      .toArray()
    return found.map(knownOf)
  }
  /**
   * Names with a token that may be very common. Reads one range of buckets after the other. Each range is just large
   * enough for about `limit` names, because some servers read all matching index entries before they apply a limit.
   */
  const some = async (token: string, limit: number): Promise<KnownName[]> => {
    const found: KnownName[] = []
    for (let from = 0; from < buckets && found.length < limit; ) {
      const left = limit - found.length
      const wanted = from === 0 ? firstBuckets : Math.ceil((left * from) / Math.max(found.length, 1))
      const to = from + Math.max(firstBuckets, wanted)
      found.push(...(await known({ tokens: token, bucket: { $gte: from, $lt: Math.min(to, buckets) } }, left)))
      from = to
    }
    return found
  }
  const { path, parent, score } = search
  const fields = ['id', search.name, path, score].flatMap((field) => (field === undefined ? [] : [valuePath(field)]))
  const pathDocuments = async (filter: Filter<DocumentRecord>, limit: number): Promise<PathDocument[]> => {
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
    tails: async ({ from, to }, limit) =>
      Array.from(from).length < 3
        ? some(beginningToken(from), limit)
        : known({ tails: { $elemMatch: within({ from, to }) } }, limit),
    containing: async (squashed, limit) => {
      const length = Math.min(3, Array.from(squashed).length)
      const token = rarest(runsOf(squashed, length))
      if (length < 3) return some(token, limit)
      const fits = (name: NameRecord) => name.squashed.includes(squashed)
      return (await firstMatching(names.find({ tenant, tokens: token }, { projection, maxTimeMS }), fits, limit)).map(
        knownOf,
      )
    },
    typos: async (keys, isClose, limit) => {
      const found = await words
        .find({ tenant, keys: { $in: [...keys] } }, { projection: { _id: 0, word: 1 }, limit, maxTimeMS })
        .toArray()
      const close = found.flatMap(({ word }) => (isClose(word) ? [wordToken(word)] : []))
      return close.length === 0 ? [] : known({ tokens: { $in: close } }, limit)
    },
    ofPath: async (asked) => (path === undefined ? [] : pathDocuments({ ...live, [valuePath(path)]: asked }, 10)),
    ofNames: async (keys, limit) =>
      path === undefined ? [] : pathDocuments({ ...live, [valuePath(search.name)]: { $in: keys.map(String) } }, limit),
    children: async (parents, range, limit) =>
      path === undefined || parent === undefined
        ? []
        : pathDocuments(
            {
              ...live,
              [valuePath(parent)]: { $in: [...parents] },
              $and: [{ [foldedPath(search.name)]: within(range) }],
            },
            limit,
          ),
  }
}

import type { Collection, Filter, FindCursor } from 'mongodb'
import type { SearchFields } from '../port.ts'
import type { KnownName, Placed, SearchStore, TextRange } from '../search/candidates.ts'
import { foldedPath, valuePath } from './layout.ts'
import { type NameRecord, runsOf } from './names.ts'
import { type DocumentRecord, idOf } from './record.ts'

/** Documents of one answer of the server. */
const atOnce = 1_000

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

/** The names of a collection, and documents by them and by their paths. */
export function nameStore({
  records,
  names,
  tenant,
  search,
  maxTimeMS,
}: {
  records: Collection<DocumentRecord>
  names: Collection<NameRecord>
  tenant: string
  search: SearchFields
  maxTimeMS: number
}): SearchStore {
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

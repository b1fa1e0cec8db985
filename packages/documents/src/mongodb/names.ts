import type { Collection, Document } from 'mongodb'
import type { EncodedPut } from '../encoded-put.ts'
import { formsOf, tailsOf, typoKeys } from '../search/words.ts'
import { duplicatesIn } from './errors.ts'
import type { Layout, WantedIndex } from './layout.ts'

/** A name of a collection that is searched, once for each tenant, however many documents bear it. */
export interface NameRecord extends Document {
  /** Tenant and name as one text. */
  _id: string
  tenant: string
  name: string
  folded: string
  squashed: string
  /** What the name is found by: its runs of one to three characters, and typo keys behind `~`. */
  tokens: readonly string[]
  /** What follows the beginning of each word but the first. */
  tails: readonly string[]
}

export const nameIndexes: readonly WantedIndex[] = [
  { name: 'assay_folded', fields: ['tenant', 'folded'] },
  { name: 'assay_squashed', fields: ['tenant', 'squashed'] },
  { name: 'assay_tokens', fields: ['tenant', 'tokens'] },
  { name: 'assay_tails', fields: ['tenant', 'tails'] },
]

/** Longer tails are cut: indexes of MongoDB refuse or leave out very long keys. */
const longestTail = 200

/** The runs of `length` characters in a text, each once. */
export function runsOf(text: string, length: number): string[] {
  const points = Array.from(text)
  const runs = points.slice(length - 1).map((_, at) => points.slice(at, at + length).join(''))
  return [...new Set(runs)]
}

export function nameRecord(tenant: string, name: string): NameRecord {
  const forms = formsOf(name)
  const { folded, squashed, words } = forms
  const runs = [1, 2, 3].flatMap((length) => runsOf(squashed, length))
  const typos = words.flatMap(typoKeys).map((key) => `~${key}`)
  return {
    _id: JSON.stringify([tenant, name]),
    tenant,
    name,
    folded,
    squashed,
    tokens: [...new Set([...runs, ...typos])],
    tails: tailsOf(forms).map((tail) => tail.slice(0, longestTail)),
  }
}

const keptNames = 50_000
const known = new WeakMap<object, Set<string>>()

/** Adds the names of puts that are not there yet. Before the documents: a name that no document bears finds nothing. */
export async function writeNames(
  names: Collection<NameRecord>,
  owner: object,
  layout: Layout,
  puts: readonly EncodedPut[],
): Promise<void> {
  const at = layout.nameIndex
  if (at === undefined) return
  const seen = known.get(owner) ?? new Set<string>()
  known.set(owner, seen)
  const fresh = new Map<string, NameRecord>()
  for (const { tenant, values } of puts) {
    const value = values[at]
    if (typeof value !== 'string') continue
    const record = nameRecord(tenant.toWellFormed(), value)
    if (!seen.has(`${layout.entryId} ${record._id}`)) fresh.set(record._id, record)
  }
  if (fresh.size === 0) return
  const ids = [...fresh.keys()]
  for (const { _id } of await names.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()) fresh.delete(_id)
  if (fresh.size > 0) {
    try {
      await names.insertMany([...fresh.values()], { ordered: false })
    } catch (error) {
      if (duplicatesIn(error) === undefined) throw error
    }
  }
  if (seen.size >= keptNames) seen.clear()
  for (const id of ids) seen.add(`${layout.entryId} ${id}`)
}

import type { Collection, Db, Document } from 'mongodb'
import type { EncodedPut } from '../encoded-put.ts'
import { formsOf, tailsOf, typoKeys } from '../search/words.ts'
import { duplicatesIn } from './errors.ts'
import type { Layout, WantedIndex } from './layout.ts'

/** A name of a searched collection, stored once per tenant, however many documents have it. */
export interface NameRecord extends Document {
  /** Tenant and name as one text. */
  _id: string
  tenant: string
  name: string
  folded: string
  squashed: string
  /** A hash of the name, from 0 to `buckets` - 1, so that a search can read only some of the names with a token. */
  bucket: number
  /**
   * The tokens by which a search finds the name. Without a prefix: its runs of one to three characters. With the prefix
   * `^`: the first one and the first two characters of each word except the first. With the prefix `~`: the words in
   * which typos are tolerated.
   */
  tokens: readonly string[]
  /** The suffixes of the name that begin at its second and later words. */
  tails: readonly string[]
}

/** A word of names, stored once per tenant. */
export interface WordRecord extends Document {
  /** Tenant and word as one text. */
  _id: string
  tenant: string
  word: string
  /** `typoKeys` of the word. */
  keys: readonly string[]
}

export const wordIndexes: readonly WantedIndex[] = [{ name: 'assay_keys', fields: ['tenant', 'keys'] }]

export const nameIndexes: readonly WantedIndex[] = [
  { name: 'assay_folded', fields: ['tenant', 'folded'] },
  { name: 'assay_squashed', fields: ['tenant', 'squashed'] },
  { name: 'assay_tokens', fields: ['tenant', 'tokens', 'bucket'] },
  { name: 'assay_tails', fields: ['tenant', 'tails'] },
]

/** Maximum length of a tail. Longer ones are truncated, because MongoDB refuses or omits very long index keys. */
const longestTail = 200

/** The distinct runs of `length` characters in a text. */
export function runsOf(text: string, length: number): string[] {
  const points = Array.from(text)
  const runs = points.slice(length - 1).map((_, at) => points.slice(at, at + length).join(''))
  return [...new Set(runs)]
}

export const buckets = 256

/** A hash that is the same in every process: FNV-1a (Fowler, Noll, Vo) of the name's code units. */
function bucketOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % buckets
}

/** A word as a token. */
export const wordToken = (word: string): string => `~${word}`

/** The token of the beginning of a word, of at most two characters. */
export const beginningToken = (beginning: string): string => `^${beginning}`

/** Tenant and name, or tenant and word, as one text. */
const idOf = (tenant: string, text: string): string => JSON.stringify([tenant, text])

export function nameRecord(tenant: string, name: string): NameRecord {
  const forms = formsOf(name)
  const { folded, squashed, words } = forms
  const runs = [1, 2, 3].flatMap((length) => runsOf(squashed, length))
  const mistyped = words.filter((word) => typoKeys(word).length > 0)
  const tails = tailsOf(forms)
  const beginnings = tails.flatMap((tail) => {
    const [one = '', two = ''] = Array.from(tail)
    return two === '' ? [one] : [one, one + two]
  })
  return {
    _id: idOf(tenant, name),
    tenant,
    name,
    folded,
    squashed,
    bucket: bucketOf(name),
    tokens: [...new Set([...runs, ...beginnings.map(beginningToken), ...mistyped.map(wordToken)])],
    tails: tails.map((tail) => tail.slice(0, longestTail)),
  }
}

/** The distinct words of names in which typos are tolerated. */
export function wordRecords(tenant: string, names: readonly string[]): WordRecord[] {
  const words = new Set(names.flatMap((name) => formsOf(name).words))
  return [...words].flatMap((word) => {
    const keys = typoKeys(word)
    return keys.length === 0 ? [] : [{ _id: idOf(tenant, word), tenant, word, keys }]
  })
}

const mostKnown = 50_000
const mostSets = 8
const known = new WeakMap<Db, Map<string, Set<string>>>()

/**
 * Ids of names or words that this process has added or found while it wrote documents to `target`. Each target has its
 * own set, because a process of another version may have dropped the names in between.
 */
function knownIn(database: Db, collection: string, target: string): Set<string> {
  const ofDatabase = known.get(database) ?? new Map<string, Set<string>>()
  known.set(database, ofDatabase)
  const at = JSON.stringify([collection, target])
  const seen = ofDatabase.get(at) ?? new Set<string>()
  if (!ofDatabase.has(at) && ofDatabase.size >= mostSets) ofDatabase.clear()
  ofDatabase.set(at, seen)
  return seen
}

/** Inserts the records whose ids do not exist yet. */
async function addMissing(
  collection: Collection<{ _id: string }>,
  seen: Set<string>,
  records: readonly { _id: string }[],
): Promise<void> {
  const fresh = new Map(records.flatMap((record) => (seen.has(record._id) ? [] : [[record._id, record]])))
  if (fresh.size === 0) return
  const ids = [...fresh.keys()]
  const filter = { _id: { $in: ids } }
  for (const { _id } of await collection.find(filter, { projection: { _id: 1 } }).toArray()) fresh.delete(_id)
  if (fresh.size > 0) {
    try {
      await collection.insertMany([...fresh.values()], { ordered: false })
    } catch (error) {
      if (duplicatesIn(error) === undefined) throw error
    }
  }
  if (seen.size >= mostKnown) seen.clear()
  for (const id of ids) seen.add(id)
}

/**
 * Adds missing words first, then missing names. Call it before the documents of the puts are written to `target`. If
 * the process dies in between, a name without documents, or a word without names, remains. It is harmless, because it
 * matches nothing.
 */
export async function writeNames(
  database: Db,
  layout: Layout,
  puts: readonly EncodedPut[],
  target: string,
): Promise<void> {
  const at = layout.nameIndex
  if (at === undefined) return
  const knownNames = knownIn(database, layout.names, target)
  const records = new Map<string, NameRecord>()
  for (const { tenant, values } of puts) {
    const value = values[at]
    if (typeof value !== 'string') continue
    const owner = tenant.toWellFormed()
    const id = idOf(owner, value)
    if (!knownNames.has(id) && !records.has(id)) records.set(id, nameRecord(owner, value))
  }
  if (records.size === 0) return
  const names = [...records.values()]
  const words = [...Map.groupBy(names, ({ tenant }) => tenant)].flatMap(([tenant, some]) =>
    wordRecords(
      tenant,
      some.map(({ name }) => name),
    ),
  )
  await addMissing(database.collection(layout.words), knownIn(database, layout.words, target), words)
  await addMissing(database.collection(layout.names), knownNames, names)
}

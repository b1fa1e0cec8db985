import { foldedCase, foldedSpelling, prefixEnd } from '../text.ts'
import { isTypoOf, pathRank, type Rank, rankOf } from './rank.ts'
import { formsOf, type NameForms, typoKeys } from './words.ts'

/** Maximum number of names, and of documents, that a search reads. */
export const searchLimit = 10_000
/** Maximum number of documents that the part before a dot can refer to. */
const maxParents = 1_000
const maxDots = 8

export interface KnownName {
  key: number | string
  name: string
  folded: string
  squashed: string
}
export interface PathDocument {
  id: string | number
  name: string
  path: string
  score: number
}
/** A range of texts; without `to` it is open-ended. */
export interface TextRange {
  from: string
  to: string | undefined
}

/** The queries of a search. `limit` bounds each query. A store may also return names that do not match. */
export interface SearchStore {
  /** Whether `typos` returns only names with a word for which `isClose` is true. */
  typosAreClose: boolean
  /**
   * If set, `containing` runs first, and `prefix` and `tails` run only if it reached its limit, because its result
   * includes theirs. Set it only if those two queries are expensive.
   */
  tailsAreContained: boolean
  exact(folded: readonly string[], limit: number): Promise<KnownName[]>
  prefix(squashed: TextRange, limit: number): Promise<KnownName[]>
  tails(tail: TextRange, limit: number): Promise<KnownName[]>
  containing(squashed: string, limit: number): Promise<KnownName[]>
  /**
   * Names with a word that has one of these typo keys. A store that knows the words returns only names with a word for
   * which `isClose` is true.
   */
  typos(keys: readonly string[], isClose: (word: string) => boolean, limit: number): Promise<KnownName[]>
  /** Documents whose path is exactly this. */
  ofPath(path: string): Promise<PathDocument[]>
  /** Documents with these names, not filtered. */
  ofNames(keys: readonly (number | string)[], limit: number): Promise<PathDocument[]>
  /** Children of these parents whose folded name is in the range. */
  children(parents: readonly (string | number)[], folded: TextRange, limit: number): Promise<PathDocument[]>
}

export interface RankedName extends KnownName {
  rank: Rank
}
export interface RankedPath extends PathDocument {
  rank: Rank
}

const rangeOf = (prefix: string): TextRange => ({ from: prefix, to: prefixEnd(prefix) })

/** Compares by code points, as stores do. Comparing by code units would order surrogates differently. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  if (at === length) return one.length - other.length
  const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
  const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdfff
  if (isHigh(a) !== isHigh(b) && Math.min(a, b) >= 0xd800) return isHigh(a) ? 1 : -1
  return a - b
}

export function compareNames(one: { rank: Rank; folded: string }, other: { rank: Rank; folded: string }): number {
  return one.rank - other.rank || compareText(one.folded, other.folded)
}

/** The longest word is the most selective, so only names with a similar word are candidates. */
function longestWord({ words }: NameForms): string {
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** The limit for texts of one or two characters, because they occur in very many names. */
const shortLimit = 2_000

/** All matching names, best first, each with its rank. */
export async function rankedNames(store: SearchStore, text: string): Promise<RankedName[]> {
  const asked = formsOf(text)
  if (asked.squashed === '') return []
  const range = rangeOf(asked.squashed)
  const longest = longestWord(asked)
  const probe = typoKeys(longest)
  // Names that contain the searched word unchanged were already found, if there is only one word.
  const isClose = (word: string) => (asked.words.length > 1 || word !== longest) && isTypoOf(longest, word)
  const isShort = Array.from(asked.squashed).length < 3
  const found = new Map<number | string, RankedName>()
  const take = (names: readonly KnownName[], rank: (name: KnownName) => Rank | undefined) => {
    for (const known of names) {
      if (found.has(known.key)) continue
      const fit = rank(known)
      if (fit !== undefined) found.set(known.key, { ...known, rank: fit })
    }
  }
  // Words that tolerate no typos must occur unchanged, which is cheaper to check.
  const whole = asked.words.filter((word) => typoKeys(word).length === 0)
  const rankTypo = ({ name, squashed }: KnownName): Rank | undefined => {
    if (asked.words.length === 1 && store.typosAreClose) return 4
    return whole.every((word) => squashed.includes(word)) ? rankOf(asked, formsOf(name)) : undefined
  }
  const isFull = () => found.size >= searchLimit
  take(await store.exact([asked.folded], searchLimit), ({ name }) => rankOf(asked, formsOf(name)))
  const mostContaining = isShort ? shortLimit : searchLimit
  const rankContaining = ({ name, squashed }: KnownName): Rank | undefined => {
    if (squashed.startsWith(asked.squashed)) return 1
    return squashed.includes(asked.squashed) ? rankOf(asked, formsOf(name)) : undefined
  }
  const contained = store.tailsAreContained ? await store.containing(asked.squashed, mostContaining) : []
  const isTailed = store.tailsAreContained && contained.length < mostContaining
  if (!isTailed) take(await store.prefix(range, searchLimit), () => 1)
  const containing = isFull() ? [] : contained
  if (!isFull() && !isTailed) take(await store.tails(range, searchLimit), () => 2)
  if (store.tailsAreContained) take(containing, rankContaining)
  else if (!isFull())
    take(await store.containing(asked.squashed, mostContaining), ({ squashed }) =>
      squashed.includes(asked.squashed) ? 3 : undefined,
    )
  if (!isFull() && probe.length > 0) take(await store.typos(probe, isClose, searchLimit), rankTypo)
  // The words of a name may be in another order. So if the longest word tolerates no typos, the name must contain it
  // unchanged.
  if (!isFull() && probe.length === 0 && asked.words.length > 1)
    take(await store.containing(longest, Array.from(longest).length < 3 ? shortLimit : searchLimit), rankTypo)
  const all = [...found.values()]
  // Below U+D800, code units and code points have the same order, and the built-in comparison is many times faster.
  if (all.some(({ folded }) => /[\ud800-\uffff]/.test(folded))) return all.sort(compareNames)
  return all.sort((a, b) => a.rank - b.rank || (a.folded < b.folded ? -1 : a.folded > b.folded ? 1 : 0))
}

/** Documents whose path matches a text with dots. */
export async function rankedPaths(store: SearchStore, text: string): Promise<RankedPath[]> {
  const trimmed = text.trim()
  const asked = foldedCase(trimmed)
  const spelled = foldedSpelling(trimmed)
  const dots = [...asked.matchAll(/\./g)].map(({ index }) => index).slice(-maxDots)
  if (dots.length === 0) return []
  const found = new Map<string | number, RankedPath>()
  const take = (documents: readonly PathDocument[]) => {
    for (const document of documents) {
      const fit = pathRank(asked, foldedCase(document.path), foldedCase(document.name))
      const rank = fit === 0 && foldedSpelling(document.path) !== spelled ? 1 : fit
      const known = found.get(document.id)
      if (rank !== undefined && (known === undefined || rank < known.rank))
        found.set(document.id, { ...document, rank })
    }
  }
  take(await store.ofPath(trimmed))
  for (const dot of dots) {
    const head = asked.slice(0, dot)
    const last = asked.slice(dot + 1)
    if (head === '' || last === '') continue
    const ends = [head, ...dots.filter((at) => at < dot).map((at) => head.slice(at + 1))].filter((end) => end !== '')
    const names = await store.exact(ends, maxParents)
    if (names.length === 0) continue
    const parents = (
      await store.ofNames(
        names.map(({ key }) => key),
        maxParents,
      )
    ).filter(({ path }) => {
      const folded = foldedCase(path)
      return folded === head || folded.endsWith(`.${head}`)
    })
    if (parents.length > 0)
      take(
        await store.children(
          parents.map(({ id }) => id),
          rangeOf(last),
          searchLimit,
        ),
      )
  }
  return [...found.values()]
}

/** A matching document. */
export interface Candidate {
  id: string | number
  rank: Rank
  score: number
  folded: string
}

/** Rank, score (higher first), name, id. */
export function compareCandidates(one: Candidate, other: Candidate): number {
  const byName = one.rank - other.rank || other.score - one.score || compareText(one.folded, other.folded)
  if (byName !== 0) return byName
  if (typeof one.id === 'number' && typeof other.id === 'number') return one.id - other.id
  return compareText(String(one.id), String(other.id))
}

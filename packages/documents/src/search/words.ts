import { foldedCase, foldedSpelling } from '../text.ts'

/** Words longer than this are compared without tolerance for typos. */
const longestTolerated = 32
/** For shorter words, a typo cannot be distinguished from another word. */
const shortestTolerated = 4

/** The forms of a name for searching. */
export interface NameForms {
  /** In one case and without accents, else as it is. */
  folded: string
  /** In one case, with its accents. */
  spelled: string
  /** Case folded, without anything that separates words: `customerId`, `customer_id` and `customer.id` are the same. */
  squashed: string
  words: readonly string[]
}

/**
 * The words of a name in snake_case, camelCase, dotted or spaced form, in any script, case folded. Letters and digits are
 * words of their own; scripts without case or separators give one word for each run of letters.
 */
export function wordsOf(text: string): string[] {
  const parts = text
    .toWellFormed()
    .normalize('NFC')
    .match(
      /\p{Lu}+(?!\p{Ll}\p{M}*)[\p{M}]*|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+?(?=\p{Lu}\p{Ll})|[\p{L}\p{M}]+|\p{N}+/gu,
    )
  // A combining mark alone is not a word.
  return (parts ?? []).map(foldedCase).filter((word) => word !== '')
}

/** Characters of a name that can be found, and of a text that is searched for: the cost grows with the square of them. */
const longestSearched = 1_024

export function formsOf(name: string): NameForms {
  const trimmed = name.slice(0, longestSearched).trim()
  const words = wordsOf(trimmed)
  const folded = foldedCase(trimmed)
  // A name of punctuation alone is its own word.
  return { folded, spelled: foldedSpelling(trimmed), squashed: words.length === 0 ? folded : words.join(''), words }
}

/** The tails of the squashed name, from each word except the first. */
export function tailsOf({ words }: NameForms): string[] {
  const tails = words.map((_, index) => words.slice(index).join(''))
  return [...new Set(tails.slice(1))]
}

/**
 * What a word becomes when one character is left out, and itself. Two words that are one typo apart (a character more,
 * less, other, or two that changed places) have one of these in common: the deletion neighbourhood of SymSpell
 * (Garbe 2012). Nothing for words that are too short or too long, and
 * for numbers, each of which is another thing.
 */
export function typoKeys(word: string): string[] {
  if (word.length > 2 * longestTolerated) return []
  const points = Array.from(word)
  if (points.length < shortestTolerated || points.length > longestTolerated || /^\p{N}+$/u.test(word)) return []
  const keys = points.map((_, left) => points.filter((_point, index) => index !== left).join(''))
  return [...new Set([word, ...keys])]
}

/**
 * Whether one insertion, deletion, replacement or swap of neighbours turns `other` into `one`; false for equal words.
 */
export function isOneTypo(one: string, other: string): boolean {
  const a = Array.from(one)
  const b = Array.from(other)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const left = a.slice(start, a.length - end)
  const right = b.slice(start, b.length - end)
  if (left.length + right.length === 0) return false
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}

import { foldedCase, foldedSpelling } from '../text.ts'

/** Words longer than this are compared without tolerance for typos. */
const longestTolerated = 32
/**
 * Minimum length of a word with tolerance for typos. In shorter words, a typo cannot be distinguished from another
 * word.
 */
const shortestTolerated = 4

/** The forms of a name that a search uses. */
export interface NameForms {
  /** Case folded and without accents. */
  folded: string
  /** Case folded, with accents. */
  spelled: string
  /** Case folded, without word separators: `customerId`, `customer_id` and `customer.id` are equal. */
  squashed: string
  words: readonly string[]
}

/**
 * The words of a name in snake_case, camelCase, dotted or spaced form, in any script, case folded. Runs of letters and
 * runs of digits are separate words; in scripts without case or separators, each run of letters is one word.
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

/** Maximum length of a name or text in a search, because the cost grows with the square of the length. */
const longestSearched = 1_024

export function formsOf(name: string): NameForms {
  const trimmed = name.slice(0, longestSearched).trim()
  const words = wordsOf(trimmed)
  const folded = foldedCase(trimmed)
  // A name without letters and digits is its own word.
  return { folded, spelled: foldedSpelling(trimmed), squashed: words.length === 0 ? folded : words.join(''), words }
}

/** The tails of the squashed name: from each word except the first to the end. */
export function tailsOf({ words }: NameForms): string[] {
  const tails = words.map((_, index) => words.slice(index).join(''))
  return [...new Set(tails.slice(1))]
}

/**
 * The word, and the word without each one of its characters. Two words that are one typo apart (a character inserted,
 * deleted, replaced or swapped with its neighbour) share one of these texts. This is the deletion neighbourhood of
 * SymSpell (Garbe 2012). Empty for words that are too short or too long, and for numbers, because another digit makes
 * another number.
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

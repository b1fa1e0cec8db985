import { isOneTypo, type NameForms, typoKeys } from './words.ts'

/**
 * 0: exact name (ignoring case). 1: prefix, or the name with other accents. 2: prefix of a word. 3: substring. 4: one
 * typo.
 */
export type Rank = 0 | 1 | 2 | 3 | 4

/** Whether a word equals the searched one, or is one typo away from it. */
export function isTypoOf(asked: string, word: string): boolean {
  return word === asked || (typoKeys(asked).length > 0 && typoKeys(word).length > 0 && isOneTypo(asked, word))
}

/** The rank of a name for a search; `undefined` if it does not match. */
export function rankOf(asked: NameForms, name: NameForms): Rank | undefined {
  if (asked.squashed === '') return undefined
  if (name.spelled === asked.spelled) return 0
  if (name.squashed.startsWith(asked.squashed)) return 1
  if (name.words.some((_, index) => index > 0 && name.words.slice(index).join('').startsWith(asked.squashed))) return 2
  if (name.squashed.includes(asked.squashed)) return 3
  const isClose =
    asked.words.length > 0 && asked.words.every((word) => name.words.some((other) => isTypoOf(word, other)))
  return isClose ? 4 : undefined
}

/**
 * How well a path matches a dotted text. 0: the path itself. 1: a prefix of the path. 2: from the beginning of one of
 * its names. The text must reach into the last name of the path; otherwise everything below a matching path would match
 * as well.
 */
export function pathRank(asked: string, path: string, name: string): Rank | undefined {
  if (path === asked) return 0
  const last = path.length - name.length
  const at = path.startsWith(asked) ? 0 : path.lastIndexOf(`.${asked}`) + 1
  if (at === 0 && !path.startsWith(asked)) return undefined
  if (at + asked.length <= last) return undefined
  return at === 0 ? 1 : 2
}

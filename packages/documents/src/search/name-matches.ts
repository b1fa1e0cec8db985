import { foldedSpelling } from '../text.ts'
import { pathRank, rankOf } from './rank.ts'
import { formsOf } from './words.ts'

/** Whether a search for `asked` finds a thing with this name and dotted path. Pure. */
export function nameMatches(asked: string, { name, path }: { name: string; path: string }): boolean {
  if (rankOf(formsOf(asked), formsOf(name)) !== undefined) return true
  return (
    asked.includes('.') &&
    pathRank(foldedSpelling(asked.trim()), foldedSpelling(path), foldedSpelling(name)) !== undefined
  )
}

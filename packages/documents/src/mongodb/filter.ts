import { AssayError } from '@assay/service-kit/errors'
import type { Filter, Sort } from 'mongodb'
import type { CheckedQuery } from '../checked-query.ts'
import type { Condition } from '../port.ts'
import { foldedCase, prefixEnd } from '../text.ts'
import { foldedPath, valuePath } from './layout.ts'
import { type DocumentRecord, written } from './record.ts'

/** MongoDB limits patterns to 16 KiB or 32 KiB, depending on its version. */
const maxPatternLength = 8000

/**
 * A pattern that matches exactly `text`. Every ASCII character that is not a letter or digit is escaped, so that none
 * is an operator and no backtracking occurs. A pattern cannot contain NUL, so NUL is written as its code.
 */
export function literalPattern(text: string): string {
  return text.replace(/[^\p{L}\p{N}\u0080-\u{10ffff}]/gu, (char) => (char === '\0' ? '\\x00' : `\\${char}`))
}

function containsFilter(field: string, part: string): Filter<DocumentRecord> {
  if (part === '') return { [valuePath(field)]: { $ne: written(null) } }
  const pattern = literalPattern(foldedCase(part))
  if (pattern.length > maxPatternLength) throw new AssayError('invalid', `The text to find in "${field}" is too long.`)
  return { [foldedPath(field)]: { $regex: pattern } }
}

function prefixFilter(path: string, asked: string): Filter<DocumentRecord> {
  const prefix = asked.toWellFormed()
  const end = prefixEnd(prefix)
  return { [path]: end === undefined ? { $gte: prefix } : { $gte: prefix, $lt: end } }
}

function rangeFilter(path: string, from?: string | number, to?: string | number): Filter<DocumentRecord> {
  if (from === undefined && to === undefined) return { [path]: { $ne: written(null) } }
  // A range matches values of only one type, so it never matches the date that stands for null.
  const range: { $gte?: unknown; $lte?: unknown } = {}
  if (from !== undefined) range.$gte = written(from)
  if (to !== undefined) range.$lte = written(to)
  return { [path]: range }
}

/** Always writes an operator such as `$eq`, because a bare value could be read as an operator or a pattern. */
function conditionFilter(condition: Condition): Filter<DocumentRecord> {
  const { field } = condition
  const path = valuePath(field)
  if ('is' in condition) return { [path]: { $eq: written(condition.is) } }
  if ('not' in condition) return { [path]: { $ne: written(condition.not) } }
  if ('in' in condition) return { [path]: { $in: condition.in.map(written) } }
  if ('prefix' in condition) return prefixFilter(path, condition.prefix)
  if ('contains' in condition) return containsFilter(field, condition.contains)
  return rangeFilter(path, condition.from, condition.to)
}

/**
 * Documents that are not removed and match all conditions. `where` is checked; `tenant` is a tenant or a range of
 * tenants; `upTo` is the latest `since` to include.
 */
export function filterOf(
  tenant: string | { $gt: string } | { $gte: string },
  where: readonly Condition[],
  upTo?: number,
): Filter<DocumentRecord> {
  const filter: Filter<DocumentRecord> = { tenant, live: true }
  const more: Filter<DocumentRecord>[] = []
  for (const condition of where) {
    const made = conditionFilter(condition)
    // Conditions are merged into one object if possible, because some servers use no index for a condition in `$and`.
    // Upper bounds stay in `$and`, because SecantusDB 0.7.0b3 loses values equal to the bound when it uses a compound
    // index.
    if ('to' in condition || Object.keys(made).some((path) => path in filter)) more.push(made)
    else Object.assign(filter, made)
  }
  // Records without `since` are older than every snapshot token.
  if (upTo !== undefined) more.push({ $nor: [{ since: { $gt: upTo } }] })
  if (more.length > 0) filter.$and = more
  return filter
}

/** The sort of a checked query. */
export function sortOf(sort: CheckedQuery['sort']): Sort {
  return sort.map(({ field, direction }): [string, 1 | -1] => [valuePath(field), direction === 'asc' ? 1 : -1])
}

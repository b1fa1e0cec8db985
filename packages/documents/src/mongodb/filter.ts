import { AssayError } from '@assay/service-kit/errors'
import type { Filter, Sort } from 'mongodb'
import type { CheckedQuery } from '../checked-query.ts'
import type { Condition } from '../port.ts'
import { foldedCase, prefixEnd } from '../text.ts'
import { foldedPath, valuePath } from './layout.ts'
import { type DocumentRecord, written } from './record.ts'

/** Patterns of MongoDB end at 16 KiB or 32 KiB, by version. */
const maxPatternLength = 8000

/**
 * A pattern that means exactly `text`: each ASCII character that is not a letter or digit is escaped, so none can be an
 * operator, and there is nothing to backtrack into. A pattern must not hold NUL, so NUL is written as its code.
 */
export function literalPattern(text: string): string {
  return text.replace(/[^\p{L}\p{N}\u0080-\u{10ffff}]/gu, (char) => (char === '\0' ? '\\x00' : `\\${char}`))
}

function containsFilter(field: string, part: string): Filter<DocumentRecord> {
  if (part === '') return { [valuePath(field)]: { $ne: written(null) } }
  const pattern = literalPattern(foldedCase(part))
  if (pattern.length > maxPatternLength)
    throw new AssayError('invalid', `The text that "${field}" should contain is too long to be searched for.`)
  return { [foldedPath(field)]: { $regex: pattern } }
}

function prefixFilter(path: string, asked: string): Filter<DocumentRecord> {
  const prefix = asked.toWellFormed()
  const end = prefixEnd(prefix)
  return { [path]: end === undefined ? { $gte: prefix } : { $gte: prefix, $lt: end } }
}

function rangeFilter(path: string, from?: string | number, to?: string | number): Filter<DocumentRecord> {
  if (from === undefined && to === undefined) return { [path]: { $ne: written(null) } }
  // Ranges only match values of their own type, so never the substitute for null.
  const range: { $gte?: unknown; $lte?: unknown } = {}
  if (from !== undefined) range.$gte = written(from)
  if (to !== undefined) range.$lte = written(to)
  return { [path]: range }
}

/** Always writes `$eq` and similar, because a bare value could be read as an operator or a pattern. */
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
 * Live documents that fit all conditions. `where` is checked; `tenant` is a tenant or a range of tenants; `upTo`: the latest
 * `since` that may be found.
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
    // Side by side where that can be: not every server of this protocol finds an index within `$and`. Upper bounds stay
    // within it, because SecantusDB 0.7.0b3 loses the values that equal one when it goes by an index of several fields.
    if ('to' in condition || Object.keys(made).some((path) => path in filter)) more.push(made)
    else Object.assign(filter, made)
  }
  // Records without it are older than all snapshot tokens.
  if (upTo !== undefined) more.push({ $nor: [{ since: { $gt: upTo } }] })
  if (more.length > 0) filter.$and = more
  return filter
}

/** The order of a checked query. */
export function sortOf(sort: CheckedQuery['sort']): Sort {
  return sort.map(({ field, direction }): [string, 1 | -1] => [valuePath(field), direction === 'asc' ? 1 : -1])
}

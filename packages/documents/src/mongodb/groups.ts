import type { Document } from 'mongodb'
import type { FieldValue } from '../port.ts'
import { valuePath } from './layout.ts'
import type { RecordValue } from './record.ts'

/**
 * A group of documents that have the same values in some fields. A date stands for null. Without fields there are no
 * values.
 */
export interface Group {
  _id: { readonly [field: string]: RecordValue } | null
  count: number
}

/** The pipeline stage that counts documents by the values of `fields`. */
export function groupedBy(fields: readonly string[]): Document {
  const values = Object.fromEntries(fields.map((field) => [field, `$${valuePath(field)}`]))
  return { $group: { _id: fields.length === 0 ? null : values, count: { $sum: 1 } } }
}

export const sumOf = (groups: readonly Group[]): number => groups.reduce((sum, { count }) => sum + count, 0)

/** How often each value of each field occurs in the groups, most frequent first, then by value. */
export function facetsOf(
  groups: readonly Group[],
  fields: readonly string[],
): { [field: string]: { value: FieldValue; count: number }[] } {
  const facetOf = (field: string) => {
    const counts = new Map<string | number | boolean, number>()
    for (const { _id, count } of groups) {
      const value = _id?.[field]
      if (value !== undefined && !(value instanceof Date)) counts.set(value, (counts.get(value) ?? 0) + count)
    }
    return [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
  }
  return Object.fromEntries(fields.map((field) => [field, facetOf(field)]))
}

import type { FieldValue } from '../port.ts'
import type { Row, SearchAnswer, SearchRequest, Value } from './search-request.ts'

/** The values of one facet, with the number of documents of each, most frequent first. */
function countedValues(groups: readonly Row[], at: number, isBoolean: boolean): { value: FieldValue; count: number }[] {
  const counts = new Map<Value, number>()
  for (const group of groups) {
    const value = group[at] ?? null
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + Number(group[0]))
  }
  const fieldValue = (value: Value): FieldValue => {
    if (isBoolean) return value === 1
    return typeof value === 'bigint' ? Number(value) : value
  }
  return [...counts]
    .map(([value, count]) => ({ value: fieldValue(value), count }))
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
}

/**
 * The facets from rows of groups. Each row has a number of documents, and the values of the facets in the order of the
 * request.
 */
export function facetsOf({ facets }: SearchRequest, groups: readonly Row[]): SearchAnswer['facets'] {
  return Object.fromEntries(facets.map(({ field, isBoolean }, at) => [field, countedValues(groups, at + 1, isBoolean)]))
}

/** The columns of the facets, each after a comma. */
export const facetColumns = ({ facets }: SearchRequest): string => facets.map(({ column }) => `, ${column}`).join('')

/** ` GROUP BY` the columns of the facets; empty if there are none. */
export const groupedByFacets = ({ facets }: SearchRequest): string =>
  facets.length === 0 ? '' : ` GROUP BY ${facets.map(({ column }) => column).join(', ')}`

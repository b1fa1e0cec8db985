import { type KnownColumn, maxPatterns } from '@assay/data-engine'

type Text = NonNullable<KnownColumn['text']>
type Patterns = NonNullable<Text['patterns']>

/** Null if a state cannot hold so many different patterns. The result does not depend on the order of merging. */
export function mergePatterns(one: Patterns, other: Patterns): Patterns | null {
  const counts = new Map(one.map(({ pattern, count }) => [pattern, count]))
  for (const { pattern, count } of other) counts.set(pattern, (counts.get(pattern) ?? 0) + count)
  if (counts.size > maxPatterns) return null
  return [...counts].map(([pattern, count]) => ({ pattern, count })).sort((a, b) => (a.pattern < b.pattern ? -1 : 1))
}

export function mergeTypes(one: Text['types'], other: Text['types']): Text['types'] {
  return {
    BOOLEAN: one.BOOLEAN + other.BOOLEAN,
    INTEGER: one.INTEGER + other.INTEGER,
    DECIMAL: one.DECIMAL + other.DECIMAL,
    DATE: one.DATE + other.DATE,
    TIMESTAMP: one.TIMESTAMP + other.TIMESTAMP,
    UUID: one.UUID + other.UUID,
    TEXT: one.TEXT + other.TEXT,
  }
}

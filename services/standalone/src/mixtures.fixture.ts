/** The adapters that the embedded form does not use. */
export const kinds = ['eventstoredb', 'mongodb', 'kafka', 's3'] as const
export type Kind = (typeof kinds)[number]

/**
 * The combinations for the long tests: each adapter alone, all together, and the pairs that depend on each other. The
 * store of results depends on none of the others.
 */
export const longTested: readonly (readonly Kind[])[] = [
  ...kinds.map((kind) => [kind]),
  ['eventstoredb', 'mongodb'],
  ['eventstoredb', 'kafka'],
  ['mongodb', 'kafka'],
  [...kinds],
]

const nameOf = (mixture: readonly Kind[]) => mixture.join(' and ')
const named = new Set(longTested.map(nameOf))
const all = Array.from({ length: 2 ** kinds.length }, (_, number) =>
  kinds.filter((_, at) => Math.floor(number / 2 ** at) % 2 === 1),
)

/** All other combinations except the empty one, which is the embedded form. */
export const others: readonly (readonly Kind[])[] = all.filter(
  (mixture) => mixture.length > 0 && !named.has(nameOf(mixture)),
)

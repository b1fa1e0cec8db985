/** The adapters that the embedded form does not use. */
export const kinds = ['eventstoredb', 'mongodb', 'kafka', 's3'] as const
export type Kind = (typeof kinds)[number]

/**
 * The combinations for the long tests: each adapter alone, and all together. The repair of read models after a kill has tests
 * of its own, with the event store alone and with MongoDB.
 */
export const longTested: readonly (readonly Kind[])[] = [...kinds.map((kind) => [kind]), [...kinds]]

const nameOf = (mixture: readonly Kind[]) => mixture.join(' and ')
const named = new Set(longTested.map(nameOf))
const all = Array.from({ length: 2 ** kinds.length }, (_, number) =>
  kinds.filter((_, at) => Math.floor(number / 2 ** at) % 2 === 1),
)

/** All other combinations except the empty one, which is the embedded form. */
export const others: readonly (readonly Kind[])[] = all.filter(
  (mixture) => mixture.length > 0 && !named.has(nameOf(mixture)),
)

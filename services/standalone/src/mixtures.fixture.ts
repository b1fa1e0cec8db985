/** The adapters that the embedded form does not use. */
export const kinds = ['eventstoredb', 'mongodb', 'kafka', 's3'] as const
export type Kind = (typeof kinds)[number]

/**
 * The combinations for the long tests: each adapter alone, and all together. The repair of read models after a kill has tests
 * of its own, with the event store alone and with MongoDB.
 */
export const longTested: readonly (readonly Kind[])[] = [...kinds.map((kind) => [kind]), [...kinds]]

/**
 * The pairs. With the long tests and the embedded form, each three of the four adapters run in all eight combinations,
 * which finds whatever depends on up to three of them.
 */
export const pairs: readonly (readonly Kind[])[] = kinds.flatMap((one, at) =>
  kinds.slice(at + 1).map((other) => [one, other]),
)

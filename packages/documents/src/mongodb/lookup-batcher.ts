interface Waiting<T> {
  resolve(found: T | undefined): void
  reject(error: unknown): void
}

/** Maximum number of ids per query. */
const maxBatch = 100

/**
 * Batches the lookups of one turn of the event loop into one query, because a query costs the server far more than an
 * additional id in it. `ask` returns the documents that exist. Equal lookups share a result.
 */
export function createLookupBatcher<T>(
  ask: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  let waiting = new Map<string, Waiting<T>[]>()

  async function answer(asked: readonly (readonly [string, readonly Waiting<T>[]])[]): Promise<void> {
    try {
      const found = await ask(asked.map(([id]) => id))
      for (const [id, callers] of asked) for (const { resolve } of callers) resolve(found.get(id))
    } catch (error) {
      for (const [, callers] of asked) for (const { reject } of callers) reject(error)
    }
  }

  function look(): void {
    const all = [...waiting]
    waiting = new Map()
    for (let from = 0; from < all.length; from += maxBatch) void answer(all.slice(from, from + maxBatch))
  }

  return (id) =>
    new Promise((resolve, reject) => {
      // `setImmediate` runs after all pending requests were read, so that their lookups join the batch.
      if (waiting.size === 0) setImmediate(look)
      const callers = waiting.get(id)
      if (callers === undefined) waiting.set(id, [{ resolve, reject }])
      else callers.push({ resolve, reject })
    })
}

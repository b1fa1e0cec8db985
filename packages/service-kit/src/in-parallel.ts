/**
 * Runs `work` for each item, at most `maxConcurrent` at a time. Results are in the order of the items. Starts nothing
 * more after the first error.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  maxConcurrent: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  let failed = false
  async function workThrough(): Promise<void> {
    for (const [index, item] of waiting) {
      if (failed) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(maxConcurrent, items.length) }, workThrough))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return results
}

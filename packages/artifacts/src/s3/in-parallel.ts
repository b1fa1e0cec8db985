/**
 * Runs `work` for each item, `width` at a time; results are in the items' order. After the first error nothing more
 * begins.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  let failed = false
  async function takeTurns(): Promise<void> {
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
  const ends = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, takeTurns))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return results
}

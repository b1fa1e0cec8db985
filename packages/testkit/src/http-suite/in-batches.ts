const width = 8

/** Runs all of them, at most eight at a time. Results are in order. */
export async function inBatches<T, R>(list: readonly T[], run: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < list.length; at += width)
    results.push(...(await Promise.all(list.slice(at, at + width).map(run))))
  return results
}

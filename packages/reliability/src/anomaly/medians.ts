/** The value at an index, which must be inside the array. */
export const valueAt = (values: Float64Array, index: number): number => values[index] ?? Number.NaN

/** The median of the first `count` of values in ascending order; NaN if `count` is 0. */
export function medianOfSorted(sorted: Float64Array, count = sorted.length): number {
  const half = count >> 1
  const upper = valueAt(sorted, half)
  return count % 2 === 1 ? upper : (valueAt(sorted, half - 1) + upper) / 2
}

export function median(values: Float64Array): number {
  return medianOfSorted(values.toSorted())
}

/** The median of ascending values, leaving out one value that equals `value`; NaN if no other value is left. */
export function medianWithout(sorted: Float64Array, value: number): number {
  const rank = lowerBound(sorted, sorted.length, value)
  const at = (index: number) => valueAt(sorted, index < rank ? index : index + 1)
  const count = sorted.length - 1
  const half = count >> 1
  if (count === 0) return Number.NaN
  return count % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2
}

/** The index of the first of `count` ascending values that is not less than `value`. */
function lowerBound(sorted: Float64Array, count: number, value: number): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (valueAt(sorted, middle) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** A window of values in ascending order. */
export function sortedWindow(capacity: number) {
  const sorted = new Float64Array(capacity)
  let count = 0
  return {
    size: () => count,
    median: () => medianOfSorted(sorted, count),
    add(value: number): void {
      const index = lowerBound(sorted, count, value)
      sorted.copyWithin(index + 1, index, count)
      sorted[index] = value
      count += 1
    },
    remove(value: number): void {
      const index = lowerBound(sorted, count, value)
      sorted.copyWithin(index, index + 1, count)
      count -= 1
    },
  }
}

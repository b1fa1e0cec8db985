const at = Symbol('at')

interface Placed {
  [at]?: number | undefined
}

/** What is under way, in no order. */
export interface UnderWay<T> {
  /** Once for each that is not in it. */
  add(one: T): void
  /** Does nothing where it is not in it. */
  delete(one: T): void
  all(): readonly T[]
}

/**
 * A list that each one knows its place in. A Set copies its table again and again while it is added to and deleted from,
 * and V8 lets each old table hold the next one: once one of them is old, all that were ever in it live until the next
 * great collection, which for the requests of a busy server was a sixth of its CPU. One may be in one list only.
 */
export function createUnderWay<T extends object>(): UnderWay<T> {
  const list: (T & Placed)[] = []
  return {
    add(one: T & Placed) {
      one[at] = list.push(one) - 1
    },
    delete(one: T & Placed) {
      const place = one[at]
      if (place === undefined) return
      one[at] = undefined
      const last = list.pop()
      if (last === undefined || last === one) return
      list[place] = last
      last[at] = place
    },
    all: () => [...list],
  }
}

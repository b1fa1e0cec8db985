const at = Symbol('at')

interface Indexed {
  [at]?: number | undefined
}

/** A set of objects without order. */
export interface FastSet<T> {
  /** Call once per member. */
  add(one: T): void
  /** No effect if it is not a member. */
  delete(one: T): void
  all(): readonly T[]
}

/**
 * A set as a list. Each member stores its own index, so an object can be in only one such set. A JavaScript Set with
 * many adds and deletes is expensive: it copies its table repeatedly, and in V8 each old table references the next one.
 * Once one of them is in the old generation, all former members live until the next full garbage collection. This cost
 * a sixth of the CPU of a busy server.
 */
export function createFastSet<T extends object>(): FastSet<T> {
  const list: (T & Indexed)[] = []
  return {
    add(one: T & Indexed) {
      one[at] = list.push(one) - 1
    },
    delete(one: T & Indexed) {
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

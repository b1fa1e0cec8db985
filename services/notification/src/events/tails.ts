import type { Tail } from './tail.ts'

/** Counts who uses the tail of each tenant, so that it is followed as long as somebody does. */
export interface Tails {
  /** The tail of a tenant, to be released once. */
  use(tenant: string): { tail: Tail; release(): void }
}

export function createTails(follow: (tenant: string, signal: AbortSignal) => Tail): Tails {
  const used = new Map<string, { tail: Tail; users: number; ending: AbortController }>()

  function isFailed(tail: Tail): boolean {
    try {
      tail.latest()
      return false
    } catch {
      return true
    }
  }

  return {
    use(tenant) {
      let entry = used.get(tenant)
      if (entry === undefined || isFailed(entry.tail)) {
        const ending = new AbortController()
        entry = { tail: follow(tenant, ending.signal), users: 0, ending }
        used.set(tenant, entry)
      }
      const mine = entry
      mine.users += 1
      return {
        tail: mine.tail,
        release() {
          mine.users -= 1
          if (mine.users > 0) return
          mine.ending.abort()
          if (used.get(tenant) === mine) used.delete(tenant)
        },
      }
    },
  }
}

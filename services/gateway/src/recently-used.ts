/** A map that forgets what was not used for longest once it holds `capacity` entries. */
export interface RecentlyUsed<V> {
  /** Counts as a use. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  readonly size: number
}

export function createRecentlyUsed<V>(capacity: number): RecentlyUsed<V> {
  // A Map keeps the order of insertion, so the first key is the one that was not used for longest.
  const entries = new Map<string, V>()
  function touch(key: string, value: V): void {
    entries.delete(key)
    entries.set(key, value)
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) touch(key, value)
      return value
    },
    set(key, value) {
      touch(key, value)
      const oldest = entries.size > capacity ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
    },
    delete(key) {
      entries.delete(key)
    },
    get size() {
      return entries.size
    },
  }
}

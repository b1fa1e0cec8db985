/** LRU cache of at most `capacity` entries. */
export interface RecentlyUsed<V> {
  /** Counts as a use. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  readonly size: number
}

export function createRecentlyUsed<V>(capacity: number): RecentlyUsed<V> {
  // A Map keeps insertion order, so its first key is the least recently used one.
  const entries = new Map<string, V>()
  let newest: string | undefined
  function touch(key: string, value: V): void {
    // The newest entry is already last. Deleting and inserting it again would make the Map grow and be copied.
    if (key !== newest) entries.delete(key)
    entries.set(key, value)
    newest = key
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined && key !== newest) touch(key, value)
      return value
    },
    set(key, value) {
      touch(key, value)
      const oldest = entries.size > capacity ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
    },
    delete(key) {
      if (key === newest) newest = undefined
      entries.delete(key)
    },
    get size() {
      return entries.size
    },
  }
}

/** A page of documents as text, and the number of all matches. */
export interface Page {
  readonly bodies: readonly string[]
  readonly count: number
}

/** Maximum number of characters of a cached page, and of all pages. */
const maxOfPage = 65_536
const maxOfAll = 16_777_216
/** Estimated size of an entry in addition to its texts. */
const entrySize = 200

/** The pages of a collection that were read since its last put. */
export interface Pages {
  get(key: string): Page | undefined
  set(key: string, page: Page): void
}

/**
 * Caches pages of collections that rarely change. Exact if `putsOf` counts each put into a collection within its
 * transaction.
 */
export interface PageCache {
  /** `undefined` if the collection has changed since the last call: a page of it would soon be outdated. */
  of(collection: string): Pages | undefined
  clear(): void
}

interface Cached extends Pages {
  readonly puts: number
  /** Removes all pages. */
  empty(): void
  /** Like `empty`, for good: reads in progress may still call `set`, which then has no effect. */
  close(): void
}

/** `maxSize`: maximum number of characters of the pages of all collections. */
export function createPageCache(putsOf: (collection: string) => number, maxSize = maxOfAll): PageCache {
  const collections = new Map<string, Cached>()
  let total = 0

  function clear(): void {
    for (const cached of collections.values()) cached.close()
    collections.clear()
  }

  function open(puts: number): Cached {
    const byKey = new Map<string, Page>()
    let isOpen = true
    let size = 0
    function empty(): void {
      byKey.clear()
      total -= size
      size = 0
    }
    return {
      puts,
      get: (key) => byKey.get(key),
      set(key, page) {
        const added = page.bodies.reduce((sum, { length }) => sum + length, key.length + entrySize)
        // Two reads of one page may have begun before the first one ended.
        if (!isOpen || added > maxOfPage || byKey.has(key)) return
        if (total + added > maxSize) for (const cached of collections.values()) cached.empty()
        byKey.set(key, page)
        size += added
        total += added
      },
      empty,
      close() {
        isOpen = false
        empty()
      },
    }
  }

  return {
    of(collection) {
      const known = collections.get(collection)
      const puts = putsOf(collection)
      if (known?.puts === puts) return known
      known?.close()
      // Not the former pages: a read that began before the put may still add to them.
      collections.set(collection, open(puts))
      return undefined
    },
    clear,
  }
}

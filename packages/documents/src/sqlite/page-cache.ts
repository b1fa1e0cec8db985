/** A page of documents as text, and the number of all matches. */
export interface Page {
  readonly bodies: readonly string[]
  readonly count: number
}

/** Maximum number of characters of a cached page, and of all pages of a collection. */
const maxOfPage = 65_536
const maxOfCollection = 2_097_152
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

function createPages(): Pages {
  const byKey = new Map<string, Page>()
  let total = 0
  return {
    get: (key) => byKey.get(key),
    set(key, page) {
      const size = page.bodies.reduce((sum, { length }) => sum + length, key.length + entrySize)
      if (size > maxOfPage) return
      if (total + size > maxOfCollection) {
        byKey.clear()
        total = 0
      }
      byKey.set(key, page)
      total += size
    },
  }
}

export function createPageCache(putsOf: (collection: string) => number): PageCache {
  const collections = new Map<string, { puts: number; pages: Pages }>()
  return {
    of(collection) {
      const known = collections.get(collection)
      const puts = putsOf(collection)
      if (known?.puts === puts) return known.pages
      // Not the former pages: a read that began before the put may still add to them.
      collections.set(collection, { puts, pages: createPages() })
      return undefined
    },
    clear: () => collections.clear(),
  }
}

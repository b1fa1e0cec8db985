import type { DocumentId, JsonWithRelated, Related, Source } from '../port.ts'

/** A stored document. */
export interface StoredRow {
  readonly text: string
  readonly source: Source
  readonly joined: Joined
}

/** A document joined with its related ones. It is valid until the next put into one of the collections in `related`. */
export interface Joined {
  readonly related: readonly Related[]
  /** The number of puts into those collections when the document was read. */
  readonly puts: number
  readonly answer: JsonWithRelated
}

/** A cache of documents by key, limited by bytes. */
export interface RowCache {
  get(key: string): StoredRow | undefined
  set(key: string, row: StoredRow): void
  delete(key: string): void
  clear(): void
}

/** Estimated size. Strings in V8 take one or two bytes per character; the constant covers keys and objects. */
const sizeOf = ({ text, joined }: StoredRow): number =>
  2 * (text.length + joined.answer.related.reduce((sum, each) => sum + (each?.length ?? 0), 0)) + 500

export function rowKey(collection: string, tenant: string, id: DocumentId): string {
  return `${collection} ${tenant.length} ${tenant}${id}`
}

/**
 * Two generations: rows used since the last rotation, and older rows, which the next rotation drops. (An LRU list would
 * have to move an entry at every read.)
 */
export function createRowCache(maxBytes: number): RowCache {
  let recent = new Map<string, StoredRow>()
  let older = new Map<string, StoredRow>()
  let bytes = 0

  function set(key: string, row: StoredRow): void {
    const size = sizeOf(row)
    // A large document would evict most of the cache.
    if (size > maxBytes / 16) return
    bytes += size
    if (bytes > maxBytes / 2) {
      older = recent
      recent = new Map()
      bytes = size
    }
    recent.set(key, row)
  }

  return {
    get(key) {
      const known = recent.get(key)
      if (known !== undefined) return known
      const before = older.get(key)
      if (before !== undefined) set(key, before)
      return before
    },
    set,
    delete(key) {
      recent.delete(key)
      older.delete(key)
    },
    clear() {
      recent.clear()
      older.clear()
      bytes = 0
    },
  }
}

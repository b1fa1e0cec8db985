import type { DocumentId, JsonWithRelated, Related, Source } from '../port.ts'

/** A document as it is stored. */
export interface StoredRow {
  readonly text: string
  readonly source: Source
  readonly joined: Joined
}

/** A document with those that it names: valid as long as nothing is put into the collections that `related` names. */
export interface Joined {
  readonly related: readonly Related[]
  /** Puts into those collections until it was read. */
  readonly puts: number
  readonly answer: JsonWithRelated
}

/** Documents that were read, by key, within a limit of bytes. */
export interface RowCache {
  get(key: string): StoredRow | undefined
  set(key: string, row: StoredRow): void
  delete(key: string): void
  clear(): void
}

/** Strings of V8 take one or two bytes a character; the rest is for keys and objects. */
const sizeOf = ({ text, joined }: StoredRow): number =>
  2 * (text.length + joined.answer.related.reduce((sum, each) => sum + (each?.length ?? 0), 0)) + 500

export function rowKey(collection: string, tenant: string, id: DocumentId): string {
  return `${collection} ${tenant.length} ${tenant}${id}`
}

/**
 * Two generations: rows that were used since the last change of generations, and those of the one before, which are
 * dropped at the next. A list in the order of use would move an entry at each read.
 */
export function createRowCache(maxBytes: number): RowCache {
  let recent = new Map<string, StoredRow>()
  let older = new Map<string, StoredRow>()
  let bytes = 0

  function set(key: string, row: StoredRow): void {
    const size = sizeOf(row)
    // A large document would empty the cache.
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

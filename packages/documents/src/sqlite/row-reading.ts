import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import { checkedId } from '../checked-query.ts'
import type { CollectionShape, DocumentId, JsonWithRelated, Related } from '../port.ts'
import { checkedRelated } from '../related.ts'
import { createPageCache, type Pages } from './page-cache.ts'
import { createRowCache, rowKey, type StoredRow } from './row-cache.ts'
import type { Tables } from './tables.ts'

/** Maximum size of the cache in bytes. */
const maxBytes = 16 * 1024 * 1024

/** Reads documents by id through a cache, and caches pages. The caches are exact if each write is reported. */
export interface RowReading {
  row(collection: CollectionShape, tenant: string, id: DocumentId): StoredRow | undefined
  withRelated(
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
    related: readonly Related[],
  ): JsonWithRelated | undefined
  /** The cached pages of a collection; `undefined` if a page must not be cached now. */
  pages(collection: string): Pages | undefined
  /** Must be called for each write of a document, within its transaction. */
  written(collection: string, tenant: string, id: DocumentId): void
  /** Must be called when whole tables are replaced, within the transaction. */
  replaced(): void
}

const nothingRelated: readonly Related[] = []

function textOrNothing(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textIn(row, column)
}

export function createRowReading(
  database: Pick<Database, 'prepare' | 'isWithinTransaction'>,
  tables: Pick<Tables, 'of'>,
): RowReading {
  const cache = createRowCache(maxBytes)
  /** The number of writes by collection. */
  const puts = new Map<string, number>()
  const pages = createPageCache((collection) => puts.get(collection) ?? 0)
  // Keyed by the request object itself, because callers always pass the same constant.
  const statements = new WeakMap<readonly Related[], Map<string, string>>()

  /**
   * One statement for a document and its related ones, because starting and ending a statement costs more than a lookup
   * by key.
   */
  function statementOf(collection: CollectionShape, related: readonly Related[]): string {
    const table = tables.of(collection.name)
    const joined = related.map((each, index) => {
      checkedRelated(collection, each)
      const name = `b${index}`
      const on = `${name}.tenant = d.tenant AND ${name}.id = d.${table.column(each.by)} AND ${name}.removed = 0`
      return {
        column: `${name}.body AS ${name}`,
        join: `LEFT JOIN ${tables.of(each.collection.name).name} ${name} ON ${on}`,
      }
    })
    return `SELECT ${['d.revision', 'd.position', 'd.body', ...joined.map(({ column }) => column)].join(', ')}
      FROM ${table.name} d ${joined.map(({ join }) => join).join(' ')}
      WHERE d.tenant = ? AND d.id = ? AND d.removed = 0`
  }

  function statement(collection: CollectionShape, related: readonly Related[]): string {
    const known = statements.get(related) ?? new Map<string, string>()
    statements.set(related, known)
    const sql = known.get(collection.name) ?? statementOf(collection, related)
    known.set(collection.name, sql)
    return sql
  }

  const version = database.prepare('PRAGMA data_version')
  let seen = numberIn(version.get() ?? {}, 'data_version')
  let isChecked = false
  /** If another connection has written, what it changed is unknown. Asks once per turn of the event loop. */
  function forgetOthers(): void {
    if (isChecked) return
    isChecked = true
    setImmediate(() => {
      isChecked = false
    })
    const now = numberIn(version.get() ?? {}, 'data_version')
    if (now === seen) return
    seen = now
    cache.clear()
    pages.clear()
  }

  const putsOf = (related: readonly Related[]): number =>
    related.reduce((sum, { collection }) => sum + (puts.get(collection.name) ?? 0), 0)

  function read(
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
    related: readonly Related[],
  ): StoredRow | undefined {
    const row = database.prepare(statement(collection, related)).get(tenant, id)
    if (row === undefined) return undefined
    const text = textIn(row, 'body')
    const source = Object.freeze({ revision: numberIn(row, 'revision'), position: textIn(row, 'position') })
    const answer = { text, source, related: related.map((_, index) => textOrNothing(row, `b${index}`)) }
    const stored = { text, source, joined: { related, puts: putsOf(related), answer } }
    // Rows that were read within a transaction are not cached, because the transaction may be rolled back.
    if (!database.isWithinTransaction()) cache.set(rowKey(collection.name, tenant, id), stored)
    return stored
  }

  return {
    row(collection, tenant, id) {
      const key = rowKey(collection.name, tenant, checkedId(collection, id))
      return cache.get(key) ?? read(collection, tenant, id, nothingRelated)
    },
    withRelated(collection, tenant, id, related) {
      const joined = cache.get(rowKey(collection.name, tenant, checkedId(collection, id)))?.joined
      if (joined?.related === related && joined.puts === putsOf(related)) return joined.answer
      return read(collection, tenant, id, related)?.joined?.answer
    },
    pages(collection) {
      forgetOthers()
      // What is read within a transaction may be rolled back.
      return database.isWithinTransaction() ? undefined : pages.of(collection)
    },
    written(collection, tenant, id) {
      puts.set(collection, (puts.get(collection) ?? 0) + 1)
      cache.delete(rowKey(collection, tenant, id))
    },
    replaced() {
      cache.clear()
      pages.clear()
    },
  }
}

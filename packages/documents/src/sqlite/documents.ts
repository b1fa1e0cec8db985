import { AssayError } from '@assay/service-kit/errors'
import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import { checkedFacets, checkedQuery, checkedWhere, searchText } from '../checked-query.ts'
import { type EncodedPut, encodedPut } from '../encoded-put.ts'
import { wholePage } from '../page-bytes.ts'
import type {
  Collection,
  CollectionShape,
  Condition,
  DocumentId,
  DocumentPut,
  Documents,
  ScanOptions,
  SearchQuery,
  Stored,
} from '../port.ts'
import { groupsSql, orderSql, perhapsFewSql, whereSql } from './filter.ts'
import type { IndexMade } from './listings.ts'
import { readPage } from './page-reading.ts'
import { createRebuilds, type RebuildTarget } from './rebuild.ts'
import { createRowReading } from './row-reading.ts'
import type { CountRequest } from './search-request.ts'
import { createSearchThread } from './search-thread.ts'
import { createSnapshotTokens } from './snapshot-tokens.ts'
import { createTables } from './tables.ts'
import { writeRow } from './writer.ts'

export interface SqliteDocuments extends Documents {
  /** Like `put`, but synchronous, for use within `database.write`: events and documents then share one transaction. */
  putNow(puts: readonly DocumentPut[]): void
  /**
   * Collections that are empty because they are new or their version changed. They stay in the list until a rebuild has
   * been committed.
   */
  needsRebuild(): string[]
  /** Starts a rebuild of `collections` (default: all). Only one can run: `begin` of a second one throws `conflict`. */
  rebuildTarget(collections?: readonly string[]): RebuildTarget
}

const scanPageSize = 500

function idIn(row: Row): DocumentId {
  return typeof row.id === 'number' ? row.id : textIn(row, 'id')
}

/** Parses without validation, because the text was checked against the collection's schema when it was put. */
function parsed<T>(row: Row): T {
  return JSON.parse(textIn(row, 'body'))
}

function storedIn<T>(row: Row): Stored<T> {
  const source = { revision: numberIn(row, 'revision'), position: textIn(row, 'position') }
  return { id: idIn(row), document: parsed<T>(row), source }
}

/**
 * Documents in tables of `database`, one for each collection. Creates tables that are missing or of another version.
 * The caller owns the database: `close` leaves it open. `onIndex` is called before an index is created on existing
 * documents, which takes about 0.2 s per 350,000 documents.
 */
export function createSqliteDocuments(options: {
  database: Database
  collections: readonly CollectionShape[]
  onIndex?: (made: IndexMade) => void
}): SqliteDocuments {
  const { database } = options
  const tables = createTables(database, options.collections, options.onIndex)
  const rows = createRowReading(database, tables)
  const rebuilds = createRebuilds(database, tables, { onSwitch: rows.replaced })
  const snapshots = createSnapshotTokens(database, tables)
  const searching = createSearchThread(database.path)
  // Runs in its own thread, because counting hundreds of thousands of documents would delay searches for too long.
  const counting = createSearchThread(database.path)
  let closed = false

  function requireOpen(): void {
    if (closed) throw new AssayError('unavailable', 'The documents are closed.')
  }

  /**
   * `undefined` if the thread failed. Throws `unavailable` if the queue of the thread is full, because the current
   * thread must not do that work instead.
   */
  async function elsewhere<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    if (counting.isFull()) throw new AssayError('unavailable', 'Too many counts are waiting. Try again in a moment.')
    const answered = await ask().catch(() => undefined)
    signal?.throwIfAborted()
    requireOpen()
    return answered
  }

  function apply(puts: readonly EncodedPut[]): void {
    for (const put of puts) {
      const table = tables.of(put.collection)
      rows.written(put.collection, put.tenant, put.id)
      writeRow(database, table, table.name, put)
      rebuilds.mirror(put)
    }
  }

  function pageAfter(
    collection: CollectionShape,
    where: readonly Condition[],
    after: { tenant: string; id: DocumentId } | undefined,
    size: number,
  ): Row[] {
    requireOpen()
    const table = tables.of(collection.name)
    const filter = whereSql(table, where)
    const sql = `SELECT tenant, id, revision, position, body FROM ${table.name} WHERE ${filter.text}
      ${after === undefined ? '' : 'AND (tenant, id) > (?, ?)'} ORDER BY tenant, id LIMIT ?`
    const start = after === undefined ? [] : [after.tenant, after.id]
    return database.prepare(sql).all(...filter.values, ...start, size)
  }

  return {
    async get<T>(collection: Collection<T>, tenant: string, id: DocumentId) {
      requireOpen()
      const found = rows.row(collection, tenant, id)
      if (found === undefined) return undefined
      // Parsed without validation, because the text was checked against the collection's schema when it was put.
      const document: T = JSON.parse(found.text)
      return { id, document, source: found.source }
    },
    async getJsonWithRelated(collection, tenant, id, related) {
      requireOpen()
      return rows.withRelated(collection, tenant, id, related)
    },
    async put(puts) {
      requireOpen()
      const encoded = puts.map(encodedPut)
      if (encoded.length > 0) await database.write(() => apply(encoded))
    },
    putNow(puts) {
      requireOpen()
      apply(puts.map(encodedPut))
    },
    async find<T>(collection: Collection<T>, tenant: string, query: Parameters<Documents['find']>[2]) {
      requireOpen()
      const checked = checkedQuery(collection, query)
      const table = tables.of(collection.name)
      // Token and page are read in the same turn of the event loop, so no write happens in between.
      const token = query.withSnapshotToken === true ? { snapshotToken: snapshots.now(table) } : {}
      const upTo = snapshots.upTo(table, query.asOf)
      const pages = upTo === undefined ? rows.pages(collection.name) : undefined
      const key = pages === undefined ? '' : JSON.stringify([tenant, checked])
      if (pages !== undefined) query.signal?.throwIfAborted()
      let page = pages?.get(key)
      if (page === undefined) {
        page = await readPage(database, table, {
          ...{ tenant, checked, upTo },
          countElsewhere: (request: CountRequest) =>
            elsewhere(() => counting.count(request, query.signal), query.signal),
          readElsewhere: (request: CountRequest) =>
            elsewhere(() => counting.texts(request, query.signal), query.signal),
        })
        pages?.set(key, page)
      }
      const { bodies, count } = page
      return { documents: bodies.map((body): T => JSON.parse(body)), count, ...token }
    },
    async search<T>(collection: Collection<T>, tenant: string, query: SearchQuery) {
      requireOpen()
      const table = tables.of(collection.name)
      const { search } = table
      if (search === undefined)
        throw new AssayError('internal', `The collection ${collection.name} cannot be searched.`)
      const { where, sort, page, size, maxBytes } = checkedQuery(collection, query)
      const facets = checkedFacets(collection, query.facets).map((field) => ({
        field,
        column: table.column(field),
        isBoolean: collection.fields[field]?.type === 'boolean',
      }))
      // The thread runs the search later. Documents that are added until then must be excluded.
      const token = query.withSnapshotToken === true ? { snapshotToken: snapshots.now(table) } : {}
      const upTo = snapshots.upTo(table, query.asOf ?? token.snapshotToken)
      const request = {
        table: table.name,
        search,
        tenant,
        text: searchText(query.text),
        where: whereSql(table, where, upTo),
        upTo,
        ofGroups: groupsSql(table, where, facets),
        perhapsFew: perhapsFewSql(table, where, upTo),
        order: query.sort === undefined ? undefined : orderSql(table, sort),
        page,
        size,
        maxBytes,
        boosts: query.boosts ?? new Map(),
        facets,
      }
      const { bodies, isCut = false, ...found } = await searching.search(request, query.signal)
      const documents = wholePage({ texts: bodies, isCut }).map((body): T => JSON.parse(body))
      return { ...found, documents, ...token }
    },
    async *scan<T = unknown>(
      collection: CollectionShape & Partial<Pick<Collection<T>, 'schema'>>,
      scanOptions: ScanOptions = {},
    ) {
      const { pageSize = scanPageSize } = scanOptions
      if (!Number.isSafeInteger(pageSize) || pageSize < 1)
        throw new AssayError('invalid', 'The size of a page must be a whole number from 1.')
      const where = checkedWhere(collection, scanOptions.where)
      let rows = pageAfter(collection, where, scanOptions.after, pageSize)
      while (rows.length > 0) {
        for (const found of rows) yield { tenant: textIn(found, 'tenant'), ...storedIn<T>(found) }
        const last = rows.at(-1)
        if (last === undefined || rows.length < pageSize) return
        rows = pageAfter(collection, where, { tenant: textIn(last, 'tenant'), id: idIn(last) }, pageSize)
      }
    },
    needsRebuild: () => tables.unbuilt(),
    rebuildTarget: (collections = tables.names()) => rebuilds.target(collections),
    async close() {
      closed = true
      await Promise.all([searching.close(), counting.close()])
    },
  }
}

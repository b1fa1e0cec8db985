import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Database, openDatabase } from '@assay/sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Condition, DocumentPut } from '../port.ts'
import { type Entry, entries, entryPut } from '../testing/collections.ts'
import { groupsSql, perhapsFewSql, whereSql } from './filter.ts'
import { followNames } from './followed-names.ts'
import { createSqliteDocuments } from './index.ts'
import { runSearch } from './search-reading.ts'
import { preparing, reading, type SearchRequest } from './search-request.ts'
import { tableOf } from './table.ts'

const table = tableOf(entries)
const facets = ['kind', 'isGone']

function requestOf(text: string, where: readonly Condition[], some: Partial<SearchRequest> = {}): SearchRequest {
  if (table.search === undefined) throw new Error('Entries are searched.')
  const columns = facets.map((field) => ({ field, column: table.column(field), isBoolean: field === 'isGone' }))
  return {
    table: table.name,
    search: table.search,
    tenant: 't',
    text,
    where: whereSql(table, where),
    upTo: undefined,
    ofGroups: groupsSql(table, where, columns),
    perhapsFew: perhapsFewSql(table, where),
    order: undefined,
    page: 0,
    size: 3,
    boosts: new Map(),
    facets: columns,
    ...some,
  }
}

type Step =
  | { kind: 'put'; tenant: string; id: number; name: string; some: Partial<Entry> }
  | { kind: 'remove'; tenant: string; id: number }
  | { kind: 'undone'; id: number; name: string }
  | { kind: 'rebuild'; isKept: boolean }
  | { kind: 'search' }

const tenant = fc.constantFrom('t', 't', 'u')
const id = fc.integer({ min: 1, max: 8 })
const name = fc.constantFrom('orders', 'orders_old', 'my_orders', 'reorders', 'odrers', 'plan', 'Orders')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      tenant,
      id,
      name,
      some: fc.record({
        kind: fc.integer({ min: 1, max: 3 }),
        isGone: fc.boolean(),
        score: fc.constantFrom(0, 0, 5, -1),
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), tenant, id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undone' as const), id, name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const), isKept: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('search' as const) }) },
)

const wheres: readonly (readonly Condition[])[] = [
  [],
  [{ field: 'isGone', is: false }],
  [{ field: 'kind', in: [1, 3] }],
  [{ field: 'id', in: [1, 2, 3, 4] }],
]

describe('counts of names', () => {
  let folder: string
  let database: Database
  let reader: DatabaseSync
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'counts-'))
    database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
    reader = new DatabaseSync(join(folder, 'a.db'), { readOnly: true, timeout: 5000 })
  })
  afterEach(async () => {
    reader.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const kept = () =>
    database
      .prepare(
        `SELECT g.tenant, c.key, g."f_isGone" AS gone, g."f_kind" AS kind, c.n FROM s_doc_entries_count c
           JOIN s_doc_entries_group g USING (gid) ORDER BY 1, 2, 3, 4`,
      )
      .all()
  const counted = () =>
    database
      .prepare(
        `SELECT tenant, s_name AS key, "f_isGone" AS gone, "f_kind" AS kind, count(*) AS n FROM doc_entries
           WHERE removed = 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
      )
      .all()

  it('given any puts, removals, rollbacks and rebuilds, then the counts equal the documents, and searches agree with and without counts', async () => {
    const documents = createSqliteDocuments({ database, collections: [entries] })
    const prepare = preparing(reader)
    const names = followNames({ search: requestOf('', []).search, tenant: 't', all: reading(prepare), mostNames: 1000 })
    let revision = 0
    /** The last put of each document, which a rebuild would derive from the log. */
    const log = new Map<string, DocumentPut>()

    async function put(one: DocumentPut): Promise<void> {
      await documents.put([one])
      log.set(`${one.tenant} ${one.id}`, one)
    }

    async function checkSearches(): Promise<void> {
      expect(kept()).toEqual(counted())
      while (names.now() === undefined) names.load()
      for (const text of ['orders', 'or', 'rder', 'odrers', 'my orders', ''])
        for (const where of wheres)
          for (const some of [{}, { size: 100 }, { page: 1, boosts: new Map([[2, 3]]) }]) {
            const request = requestOf(text, where, some)
            const answer = await runSearch(prepare, request, names.now())
            expect(answer).toEqual(await runSearch(prepare, request))
            // Without the plan for few documents.
            expect(answer).toEqual(await runSearch(prepare, { ...request, perhapsFew: [] }, names.now()))
          }
    }

    async function take(next: Step): Promise<void> {
      revision += 1
      if (next.kind === 'put') await put(entryPut(next.tenant, next.id, next.name, next.some, revision))
      else if (next.kind === 'remove')
        await put({ ...entryPut(next.tenant, next.id, 'x', {}, revision), document: null })
      else if (next.kind === 'undone') {
        const undone = database.write(() => {
          documents.putNow([entryPut('t', next.id, `${next.name}_undone`, {}, revision)])
          throw new Error('undone')
        })
        await expect(undone).rejects.toThrow('undone')
      } else if (next.kind === 'rebuild') {
        const target = documents.rebuildTarget()
        await target.begin()
        await target.put([...log.values()].slice(0, 3))
        // A put during the rebuild goes to both tables.
        await put(entryPut('t', 1, 'orders', { kind: 2 }, revision))
        await target.put([...log.values()])
        await (next.isKept ? target.commit() : target.abandon())
      } else await checkSearches()
    }

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        for (const next of steps) await take(next)
        await checkSearches()
      }),
      { numRuns: 12 },
    )
    await documents.close()
  }, 120_000)

  it('given a rebuild by a version without counts, when the database is opened again, then the counts are rebuilt', async () => {
    const before = createSqliteDocuments({ database, collections: [entries] })
    await before.put([entryPut('t', 1, 'orders')])
    await before.close()
    // A rebuild drops the triggers with the old table, and that version creates none on the new one.
    for (const what of ['added', 'came', 'left', 'deleted']) database.exec(`DROP TRIGGER s_doc_entries_${what}_1`)
    database.exec('UPDATE doc_entries SET "f_kind" = 3')
    expect(kept()).not.toEqual(counted())
    const documents = createSqliteDocuments({ database, collections: [entries] })
    await documents.put([entryPut('t', 2, 'orders')])
    expect(kept()).toEqual(counted())
    await documents.close()
  })

  it('given a database of a version without counts, when it is opened, then counts are created and maintained', async () => {
    const before = createSqliteDocuments({ database, collections: [entries] })
    await before.put([entryPut('t', 1, 'orders'), entryPut('t', 2, 'orders', { kind: 2 }), entryPut('u', 1, 'orders')])
    for (const what of ['added', 'came', 'left', 'deleted']) database.exec(`DROP TRIGGER s_doc_entries_${what}_1`)
    database.exec('DROP TABLE s_doc_entries_count; DROP TABLE s_doc_entries_group; DROP TABLE s_doc_entries_change')
    await before.close()
    const documents = createSqliteDocuments({ database, collections: [entries] })
    expect(kept()).toEqual(counted())
    await documents.put([entryPut('t', 3, 'orders', { kind: 2 })])
    expect(kept()).toEqual(counted())
    expect(kept()).toHaveLength(3)
    await documents.close()
  })

  it('given another version of the collection, when it is opened, then the old counts are gone', async () => {
    const before = createSqliteDocuments({ database, collections: [entries] })
    await before.put([entryPut('t', 1, 'orders')])
    await before.close()
    const documents = createSqliteDocuments({ database, collections: [{ ...entries, version: 2 }] })
    expect(kept()).toEqual([])
    await documents.close()
  })

  it('given a condition that few documents match, when searched, then the search reads those documents instead of all of the names', async () => {
    const documents = createSqliteDocuments({ database, collections: [entries] })
    await documents.put(Array.from({ length: 400 }, (_, at) => entryPut('t', at + 1, `orders_${at % 4}`)))
    const prepare = preparing(reader)
    const asked: string[] = []
    const watched = (sql: string) => {
      asked.push(sql)
      return prepare(sql)
    }
    const names = followNames({ search: requestOf('', []).search, tenant: 't', all: reading(prepare), mostNames: 1000 })
    while (names.now() === undefined) names.load()
    const planOf = async (where: readonly Condition[]) => {
      asked.length = 0
      const { count } = await runSearch(watched, requestOf('orders', where), names.now())
      return { count, isByNames: asked.some((sql) => sql.includes('s_name = k')) }
    }
    expect(await planOf([{ field: 'id', in: [3, 7, 1000] }])).toEqual({ count: 2, isByNames: false })
    expect(await planOf([{ field: 'id', from: 391 }])).toEqual({ count: 10, isByNames: false })
    // With more matches of the condition, reading by names is faster.
    expect(await planOf([{ field: 'id', from: 10 }])).toEqual({ count: 391, isByNames: true })
    await documents.close()
  })

  it('given more than 10,000 matches, then all are counted, and facets cover the first 10,000', async () => {
    const documents = createSqliteDocuments({ database, collections: [entries] })
    const many = Array.from({ length: 10_500 }, (_, at) =>
      entryPut('t', at + 1, `orders_${at % 40}`, { kind: at < 10_200 ? 1 : 2 }),
    )
    for (let at = 0; at < many.length; at += 1_500) await documents.put(many.slice(at, at + 1_500))
    const prepare = preparing(reader)
    const all = reading(prepare)
    const names = followNames({ search: requestOf('', []).search, tenant: 't', all, mostNames: 1000 })
    while (names.now() === undefined) names.load()
    const found = await runSearch(prepare, requestOf('orders', []), names.now())
    expect(found).toMatchObject({ count: 10_500, isCountCapped: false, isFacetCapped: true })
    const inOrder = database.prepare(`SELECT "f_kind" AS kind FROM doc_entries ORDER BY "f_name", id LIMIT 10000`).all()
    const ofKind = (kind: number) => inOrder.filter((row) => row.kind === kind).length
    expect(found.facets.kind).toEqual([
      { value: 1, count: ofKind(1) },
      { value: 2, count: ofKind(2) },
    ])
    // The same by a condition that more than 10,000 documents match.
    const byDocuments = await runSearch(prepare, requestOf('orders', [{ field: 'id', from: 1 }]))
    expect(byDocuments).toEqual(found)
    const few = followNames({ search: requestOf('', []).search, tenant: 't', all, mostNames: 10 })
    for (let at = 0; at < 5; at += 1) few.load()
    expect(few.now()).toBeUndefined()
    await documents.close()
  }, 120_000)
})

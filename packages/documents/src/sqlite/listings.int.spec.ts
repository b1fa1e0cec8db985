import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase, textIn } from '@assay/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { documentPut, type Query } from '../port.ts'
import { thingPut, things } from '../testing/collections.ts'
import { plansOf } from '../testing/reading-plans.ts'
import { createSqliteDocuments } from './index.ts'

describe('given a declared listing', () => {
  let folder: string
  let database: Database
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'listings-'))
    database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
  })
  afterEach(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  const opened = (collection = things, on = database) =>
    createSqliteDocuments({ database: on, collections: [collection] })
  const sort: Query['sort'] = [
    { field: 'size', direction: 'desc' },
    { field: 'name', direction: 'desc' },
  ]
  const open: Query = { where: [{ field: 'open', is: true }], sort, size: 10 }
  const planOf = async (query: Query) =>
    (await plansOf(database, (watched) => opened(things, watched).find(things, 't', query))).at(-1)
  const indexes = () =>
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND instr(name, '(') > 0 ORDER BY name")
      .all()
      .map((row) => textIn(row, 'name'))
  const listing = 'doc_things(open,size,name)'

  it('when a page is read, then its index returns it in order', async () => {
    opened()
    expect(await planOf(open)).toBe(`SEARCH doc_things USING INDEX ${listing}_1 (tenant=? AND f_open=?)`)
  })

  it('when a database without its index is opened, then the index is created and no document is lost', async () => {
    await opened({ ...things, listings: [] }).put([thingPut('t', 1, { open: true })])
    expect(indexes()).toEqual([])
    const documents = opened()
    expect(indexes()).toEqual([`${listing}_1`])
    expect((await documents.find(things, 't', open)).count).toBe(1)
    opened()
    expect(indexes()).toEqual([`${listing}_1`])
  })

  it('when a database lacks several indexes, then `onIndex` is called before each is created, and never again', async () => {
    await opened({ ...things, listings: [] }).put([thingPut('t', 1, { open: true })])
    const announced: unknown[] = []
    const collection = {
      ...things,
      listings: [
        ['open', 'size', 'name'],
        ['open', 'name'],
      ],
    }
    const onIndex = (made: unknown) => announced.push(made, indexes())
    createSqliteDocuments({ database, collections: [collection], onIndex })
    const other = 'doc_things(open,name)_1'
    expect(announced).toEqual([
      { index: `${listing}_1`, at: 1, of: 2 },
      [],
      { index: other, at: 2, of: 2 },
      [`${listing}_1`],
    ])
    announced.length = 0
    createSqliteDocuments({ database, collections: [collection], onIndex })
    expect(announced).toEqual([])
  })

  it('when the listing is no longer declared, then its index is dropped', () => {
    opened()
    opened({ ...things, listings: [['open', 'name']] })
    expect(indexes()).toEqual(['doc_things(open,name)_1'])
  })

  it('when a field is queried only together with others, then it has no index of its own, and an earlier one is dropped', async () => {
    const listedOnly: (typeof things.fields)[string] = { type: 'boolean', of: (thing) => thing.open, alone: false }
    const collection = { ...things, fields: { ...things.fields, open: listedOnly } }
    const own = () => database.prepare("SELECT name FROM sqlite_master WHERE name = 'doc_things_open_1'").all()
    await opened().put([thingPut('t', 1, { open: true })])
    expect(own()).toHaveLength(1)
    const documents = opened(collection)
    expect(own()).toEqual([])
    expect((await documents.find(collection, 't', { where: [{ field: 'open', is: true }], size: 10 })).count).toBe(1)
    const plans = await plansOf(database, (watched) => opened(collection, watched).find(collection, 't', open))
    expect(plans.at(-1)).toContain(listing)
  })

  describe('with a field that is null in most documents', () => {
    const title: (typeof things.fields)[string] = { type: 'text', of: (thing) => thing.title ?? null, sparse: true }
    const sparse: typeof things = { ...things, fields: { ...things.fields, title }, listings: [['open', 'title']] }
    const index = 'doc_things(open,title?)_1'
    const isOpen = { field: 'open', is: true }
    const put = (title: string | null) => {
      const { tenant, id, document, source } = thingPut('t', 1, { open: true, title })
      return documentPut(sparse, tenant, id, things.schema.parse(document), source)
    }

    it('when a query compares it with a value, then the index without null finds the document', async () => {
      const documents = opened(sparse)
      await documents.put([put('a')])
      const query = { where: [isOpen, { field: 'title', is: 'a' }], size: 10 }
      const plans = await plansOf(database, (watched) => opened(sparse, watched).find(sparse, 't', query))
      expect(plans.at(-1)).toContain(index)
      expect((await documents.find(sparse, 't', query)).count).toBe(1)
    })

    it.each([{ is: null }, { in: [null, 'a'] }, { not: 'a' }])(
      'when a query with %j matches null, then no document is missed',
      async (condition) => {
        const documents = opened(sparse)
        await documents.put([put(null)])
        const where = [isOpen, { field: 'title', ...condition }]
        expect((await documents.find(sparse, 't', { where, size: 10 })).count).toBe(1)
      },
    )

    it('when a database has the index with null, then it is replaced', () => {
      opened({ ...things, listings: [['open', 'title']] })
      opened(sparse)
      expect(indexes()).toEqual([index])
    })
  })

  it('when the collection is rebuilt, then the new table has the index, and keeps it', async () => {
    const target = opened().rebuildTarget()
    await target.begin()
    await target.commit()
    expect(indexes()).toEqual([`${listing}_2`])
    opened()
    expect(indexes()).toEqual([`${listing}_2`])
    expect(await planOf(open)).toContain(`${listing}_2`)
  })

  it('when it names a field that the collection does not have, then it is refused', () => {
    expect(() => opened({ ...things, listings: [['other']] })).toThrow(/names a field/)
  })

  it('when few documents match and another order is requested, then the index of the condition finds them and SQLite sorts', async () => {
    const documents = opened()
    await documents.put([thingPut('t', 1, { name: 'rare' })])
    const query: Query = {
      where: [{ field: 'name', is: 'rare' }],
      sort: [{ field: 'score', direction: 'desc' }],
      size: 10,
    }
    expect(await planOf(query)).toMatch(/USING INDEX doc_things_name_1 \(tenant=\? AND f_name=\?\).*TEMP B-TREE/)
  })

  it('when few documents match one of two conditions, then the index of that condition finds them, in either order of the conditions', async () => {
    const documents = opened()
    const common = Array.from({ length: 1001 }, (_, id) => thingPut('t', id, { name: 'common', open: true }))
    await documents.put([...common, thingPut('t', 2000, { name: 'rare', open: true })])
    const where = [
      { field: 'open', is: true },
      { field: 'name', is: 'rare' },
    ]
    for (const conditions of [where, where.toReversed()])
      for (const keys of [sort, [{ field: 'score', direction: 'asc' as const }]]) {
        const query = { where: conditions, sort: keys, size: 10 }
        expect(await planOf(query)).toContain('USING INDEX doc_things_name_1 (tenant=? AND f_name=?)')
        expect((await documents.find(things, 't', query)).count).toBe(1)
        expect((await documents.find(things, 't', { ...query, size: 0 })).count).toBe(1)
      }
  })

  it('when many documents match and another order is requested, then SQLite reads them in that order', async () => {
    const documents = opened()
    await documents.put(Array.from({ length: 1001 }, (_, id) => thingPut('t', id, { name: 'common', score: id })))
    const query: Query = {
      where: [{ field: 'name', is: 'common' }],
      sort: [{ field: 'score', direction: 'desc' }],
      size: 10,
    }
    const plans = await plansOf(database, (watched) => opened(things, watched).find(things, 't', query))
    expect(plans).toContainEqual(expect.stringMatching(/USING INDEX doc_things_score_1/))
    expect((await documents.find(things, 't', query)).documents.map(({ score }) => score).slice(0, 2)).toEqual([
      1000, 999,
    ])
  })

  it('when a deep page is requested, then another thread reads it', async () => {
    const many = Array.from({ length: 5_200 }, (_, id) => thingPut('t', id, { name: 'common', score: id }))
    await opened().put(many)
    const read: string[] = []
    const prepare = (sql: string) => {
      read.push(sql)
      return database.prepare(sql)
    }
    const documents = opened(things, { ...database, prepare })
    const query: Query = { where: [{ field: 'name', is: 'common' }], size: 4 }
    const scores = async (page: number) => {
      read.length = 0
      const found = await documents.find(things, 't', { ...query, page })
      return { scores: found.documents.map(({ score }) => score), isHere: read.some((sql) => sql.includes('body')) }
    }
    expect(await scores(249)).toEqual({ scores: [996, 997, 998, 999], isHere: true })
    expect(await scores(250)).toEqual({ scores: [1000, 1001, 1002, 1003], isHere: false })
    // A page in an order without an index can take as long as a deep one.
    const contains = { ...query, where: [{ field: 'name', contains: 'mmo' }] }
    read.length = 0
    expect((await documents.find(things, 't', contains)).count).toBe(5_200)
    expect(read.some((sql) => sql.includes('body'))).toBe(false)
    // The other thread sees a completed put immediately, too.
    await documents.put([thingPut('t', -1, { name: 'common', score: -1 })])
    expect(await scores(250)).toEqual({ scores: [999, 1000, 1001, 1002], isHere: false })
    await documents.close()
  })

  it('when the queue of counts is full, then the next count is refused, and this thread does not count either', async () => {
    const documents = opened()
    const many = Array.from({ length: 5_200 }, (_, id) => thingPut('t', id, { name: 'common', open: true }))
    await documents.put(many)
    const where = [
      { field: 'name', is: 'common' },
      { field: 'open', is: true },
    ]
    const asked = Array.from({ length: 201 }, () => documents.find(things, 't', { where, size: 0 }))
    const found = await Promise.allSettled(asked)
    const counted = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value.count] : []))
    expect(counted).toEqual(Array.from({ length: 200 }, () => 5_200))
    expect(found.at(-1)).toMatchObject({
      reason: { code: 'unavailable', message: 'Too many counts are waiting. Try again in a moment.' },
    })
    await documents.close()
  })

  it('when callers abort, then their counts are skipped and other counts run immediately', async () => {
    const documents = opened()
    const many = Array.from({ length: 5_200 }, (_, id) => thingPut('t', id, { name: 'common', open: true }))
    await documents.put(many)
    const where = [
      { field: 'name', is: 'common' },
      { field: 'open', is: true },
    ]
    const leaving = new AbortController()
    const query = { where, size: 0, signal: leaving.signal }
    const asked = Array.from({ length: 200 }, () => documents.find(things, 't', query))
    const left = new Error('The caller left.')
    leaving.abort(left)
    const others = Array.from({ length: 198 }, () => documents.find(things, 't', { where, size: 0 }))
    for (const one of await Promise.allSettled(asked)) expect(one).toMatchObject({ status: 'rejected', reason: left })
    expect(new Set((await Promise.all(others)).map(({ count }) => count))).toEqual(new Set([5_200]))
    await expect(documents.find(things, 't', query)).rejects.toBe(left)
    await documents.close()
  })

  it('when many documents match two common conditions, then another thread counts them exactly', async () => {
    const documents = opened()
    const many = Array.from({ length: 5_200 }, (_, id) =>
      thingPut('t', id, { name: id % 3 === 0 ? 'other' : 'common', open: id % 2 === 0, score: id }),
    )
    await documents.put(many)
    const query: Query = {
      where: [
        { field: 'name', is: 'common' },
        { field: 'open', is: true },
      ],
      sort: [{ field: 'score', direction: 'desc' }],
      size: 10,
    }
    const matching = many.filter((_, id) => id % 3 !== 0 && id % 2 === 0).length
    const { snapshotToken } = await documents.find(things, 't', { ...query, withSnapshotToken: true })
    await documents.put([thingPut('t', 9_000, { name: 'common', open: true, score: 1 })])
    await documents.put([thingPut('u', 9_000, { name: 'common', open: true })])
    expect((await documents.find(things, 't', query)).count).toBe(matching + 1)
    expect((await documents.find(things, 't', { ...query, size: 0 })).count).toBe(matching + 1)
    expect((await documents.find(things, 't', { ...query, ...(snapshotToken && { asOf: snapshotToken }) })).count).toBe(
      matching,
    )
    await documents.close()
    const asked: string[] = []
    const watched: Database = {
      ...database,
      prepare(sql) {
        asked.push(sql)
        return database.prepare(sql)
      },
    }
    const again = opened(things, watched)
    asked.length = 0
    const isCount = (sql: string) => sql.startsWith('SELECT count(*) AS count FROM doc_things')
    expect((await again.find(things, 't', query)).count).toBe(matching + 1)
    expect(asked.filter(isCount)).toEqual([])
    // Each of the two conditions is checked once for selectivity.
    expect(asked.filter((sql) => sql.startsWith('SELECT count(*) AS count FROM (SELECT 1'))).toHaveLength(2)
    const late = expect(again.find(things, 't', query)).rejects.toThrow('The documents are closed.')
    await again.close()
    await late
    expect(asked.filter(isCount)).toEqual([])
  })
})

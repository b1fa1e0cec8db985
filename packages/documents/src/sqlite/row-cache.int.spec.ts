import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@assay/sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DocumentPut, Related } from '../port.ts'
import { notePut, notes, testCollections, thingPut, things } from '../testing/index.ts'
import { createSqliteDocuments, type SqliteDocuments } from './index.ts'
import { createRowCache, type StoredRow } from './row-cache.ts'

const related: readonly Related[] = [
  { collection: things, by: 'size' },
  { collection: notes, by: 'name' },
]
const tenants = ['t', 'u']
const ids = [1, 2, 3]
const names = ['1', '2']

const put = fc.record({
  tenant: fc.constantFrom(...tenants),
  id: fc.constantFrom(...ids),
  /** Whether it is a note instead of a thing. */
  isNote: fc.boolean(),
  isRemoval: fc.boolean(),
  size: fc.constantFrom(null, ...ids),
  name: fc.constantFrom(...names),
})
type Put = typeof put extends fc.Arbitrary<infer T> ? T : never
const puts = fc.array(put, { minLength: 1, maxLength: 4 })
const step = fc.record({
  puts,
  kind: fc.constantFrom('put', 'put', 'within', 'undone', 'undone in part', 'rebuild', 'abandoned rebuild'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let folder: string
let database: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'row-cache-'))
  database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})
const opened = () => createSqliteDocuments({ database, collections: testCollections })

/** Everything that can be read by id. The first reading decides what is cached, so tests use both orders. */
async function readAll(documents: SqliteDocuments, isJoinedFirst: boolean): Promise<unknown[]> {
  const plain = () =>
    tenants.flatMap((tenant) => [
      ...ids.map((id) => documents.get(things, tenant, id)),
      ...names.map((id) => documents.get(notes, tenant, id)),
      // Twice: the first one after a put is not cached.
      ...[0, 0].map((page) => documents.find(things, tenant, { page, size: 9 })),
      ...[0, 0].map((page) =>
        documents.find(notes, tenant, { where: [{ field: 'text', is: 'note 1' }], page, size: 9 }),
      ),
    ])
  const joined = () =>
    tenants.flatMap((tenant) => ids.map((id) => documents.getJsonWithRelated(things, tenant, id, related)))
  if (!isJoinedFirst) return Promise.all([...plain(), ...joined()])
  const first = joined()
  return Promise.all([...plain(), ...first])
}

test('given any puts, rollbacks and rebuilds, then reads with a filled and with an empty cache agree', async () => {
  const documents = opened()
  let revision = 0
  const putOf = ({ tenant, id, isNote, isRemoval, size, name }: Put): DocumentPut => {
    revision += 1
    const made = isNote
      ? notePut(tenant, name, `note ${revision}`, revision)
      : thingPut(tenant, id, { size, name, title: `thing ${revision}` }, revision)
    return isRemoval ? { ...made, document: null } : made
  }

  async function take({ kind, puts: some }: Step): Promise<void> {
    const all = some.map(putOf)
    if (kind === 'put') await documents.put(all)
    else if (kind === 'rebuild' || kind === 'abandoned rebuild') {
      const target = documents.rebuildTarget()
      await target.begin()
      await target.put(all)
      await (kind === 'rebuild' ? target.commit() : target.abandon())
    } else {
      let seen: Promise<unknown[]> | undefined
      const undo = () => {
        documents.putNow(all)
        seen = readAll(documents, revision % 2 === 0)
        if (kind !== 'within') throw new Error('undone')
      }
      const write = database.write(() => {
        if (kind !== 'undone in part') return undo()
        documents.putNow([putOf({ tenant: 't', id: 1, isNote: false, isRemoval: false, size: 2, name: '1' })])
        expect(() => database.transaction(undo)).toThrow('undone')
      })
      await (kind === 'undone' ? expect(write).rejects.toThrow('undone') : write)
      await seen
    }
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const next of steps) {
        await take(next)
        const isJoinedFirst = revision % 2 === 0
        const read = await readAll(documents, isJoinedFirst)
        expect(read).toEqual(await readAll(opened(), isJoinedFirst))
        // From the cache.
        expect(await readAll(documents, !isJoinedFirst)).toEqual(read)
      }
    }),
    { numRuns: 30 },
  )
})

test('given an unchanged document, when it is read again with its related ones, then the result is the same object', async () => {
  const documents = opened()
  await documents.put([thingPut('t', 1, { name: 'x' }), notePut('t', 'x', 'of it')])
  const first = await documents.getJsonWithRelated(things, 't', 1, related)
  expect(await documents.getJsonWithRelated(things, 't', 1, related)).toBe(first)
  await documents.put([notePut('t', 'x', 'changed', 1)])
  expect(await documents.getJsonWithRelated(things, 't', 1, related)).not.toEqual(first)
})

test('given a caller that changes a document it has read, then the next read returns the stored one', async () => {
  const documents = opened()
  await documents.put([thingPut('t', 1, { name: 'x' })])
  const first = await documents.get(things, 't', 1)
  if (first !== undefined) first.document.name = 'changed'
  expect((await documents.get(things, 't', 1))?.document.name).toBe('x')
})

test('given more rows than fit, then the cache has the latest ones within its limit', () => {
  const row = (text: string): StoredRow => {
    const source = { revision: 0, position: '' }
    return { text, source, joined: { related: [], puts: 0, answer: { text, source, related: [] } } }
  }
  const limit = 100_000
  const cache = createRowCache(limit)
  const keys = Array.from({ length: 1000 }, (_, at) => `key ${at}`)
  for (const key of keys) {
    cache.set(key, row('x'.repeat(100)))
    // A row in use stays cached.
    cache.get('key 0')
  }
  cache.set('large', row('x'.repeat(limit)))
  const there = keys.filter((key) => cache.get(key) !== undefined)
  expect(there).toEqual(expect.arrayContaining(['key 0', 'key 999']))
  expect(there.length * 700).toBeLessThanOrEqual(limit)
  expect(there.length * 700).toBeGreaterThan(limit / 4)
  expect(cache.get('large')).toBeUndefined()
})

test('given another connection to the same file, when it writes, then a page is read again', async () => {
  const documents = opened()
  const query = { where: [], size: 10 }
  await documents.put([thingPut('t', 1, { name: 'x' })])
  // The first query notices the put, and the second one is cached.
  for (const _ of [1, 2, 3]) expect((await documents.find(things, 't', query)).count).toBe(1)
  const elsewhere = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
  await createSqliteDocuments({ database: elsewhere, collections: testCollections }).put([
    thingPut('t', 2, { name: 'y' }),
  ])
  expect((await documents.find(things, 't', query)).count).toBe(2)
  await elsewhere.close()
})

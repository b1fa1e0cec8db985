import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAssayError } from '@assay/service-kit/errors'
import { openDatabase } from '@assay/sqlite'
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MongoServer, start } from '../../../../tools/servers/mongodb.mjs'
import { type CollectionShape, type DocumentPut, type Documents, documentPut } from '../port.ts'
import { createSqliteDocuments } from '../sqlite/index.ts'
import { entries, notes, storedText, thing, thingPut, things } from '../testing/index.ts'
import { rebuildFeatures } from '../testing/rebuild.features.ts'
import { filterOf } from './filter.ts'
import { createMongoDocuments, type MongoDocuments } from './index.ts'
import type { DocumentRecord } from './record.ts'

const conflict = expect.toSatisfy((error: unknown) => isAssayError(error, 'conflict'), 'conflict')
const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')

const collections = [things, notes] as const

describe('MongoDB documents: guarantees beyond the port', () => {
  let server: MongoServer
  let client: MongoClient
  let opened: Documents[] = []
  let database = ''
  let databases = 0

  beforeAll(async () => {
    server = await start()
    client = await new MongoClient(server.url).connect()
  })
  afterAll(async () => {
    await client.close()
    await server.stop()
  })
  beforeEach(() => {
    databases += 1
    database = `test_${databases}`
  })
  afterEach(async () => {
    for (const documents of opened) await documents.close()
    opened = []
  })

  async function open(wanted: readonly CollectionShape[] = collections): Promise<MongoDocuments> {
    const documents = await createMongoDocuments({
      uri: server.url,
      database,
      collections: wanted,
      timeouts: { pointerAge: 100, operation: 60_000 },
    })
    opened.push(documents)
    return documents
  }

  async function physical(): Promise<string[]> {
    const listed = await client.db(database).listCollections({}, { nameOnly: true }).toArray()
    return listed.map(({ name }) => name).toSorted()
  }

  const of = (name: string) => client.db(database).collection<DocumentRecord>(name)

  rebuildFeatures(async () => [await open(), await open()])

  it('given new collections, when they are opened, then they need a rebuild until one is committed', async () => {
    const documents = await open()
    expect(await documents.needsRebuild()).toEqual(['text_notes', 'things'])
    expect(await (await open()).needsRebuild()).toEqual(['text_notes', 'things'])
    const target = documents.rebuildTarget(['things'])
    await target.begin()
    await target.commit()
    expect(await documents.needsRebuild()).toEqual(['text_notes'])
    expect(await (await open()).needsRebuild()).toEqual(['text_notes'])
  })

  it('given two processes that put throughout a rebuild, then each process reads the puts of the other immediately, also after the rebuild', async () => {
    const [one, two] = [await open(), await open()]
    let running = true
    let id = 0
    const writeAndRead = async (writer: Documents, reader: Documents) => {
      const puts: number[] = []
      while (running) {
        id += 1
        const mine = id
        await writer.put([thingPut('t', mine)])
        if ((await reader.get(things, 't', mine)) === undefined) throw new Error(`Put ${mine} was not seen.`)
        puts.push(mine)
      }
      return puts
    }
    const loops = [writeAndRead(one, two), writeAndRead(two, one), writeAndRead(two, two)]
    const target = one.rebuildTarget()
    await target.begin()
    // In production these puts come from the log; here they are read from the live documents.
    const before = []
    for await (const { id: known, document, source, tenant } of one.scan(things))
      before.push({ collection: things, tenant, id: known, document, source })
    for (const { tenant, id: known, source } of before)
      await target.put([thingPut(tenant, Number(known), {}, source.revision)])
    await target.commit()
    running = false
    const puts = (await Promise.all(loops)).flat()
    expect(puts.length).toBeGreaterThan(20)
    for (const reader of [one, two]) expect((await reader.find(things, 't', { size: 0 })).count).toBe(puts.length)
  })

  it('given an interrupted rebuild, when another begins, then the first can no longer write, and its leftovers are dropped', async () => {
    const first = (await open()).rebuildTarget()
    await first.begin()
    await first.put([thingPut('t', 1)])
    const documents = await open()
    const second = documents.rebuildTarget()
    await second.begin()
    await expect(documents.rebuildTarget().begin()).rejects.toEqual(conflict)
    await expect(first.put([thingPut('t', 2)])).rejects.toEqual(conflict)
    await expect(first.commit()).rejects.toEqual(conflict)
    await first.abandon()
    await second.commit()
    expect(await documents.get(things, 't', 1)).toBeUndefined()
    expect(await physical()).toHaveLength(3)
  })

  it('given an abandoned rebuild, then another one can begin', async () => {
    const documents = await open()
    await documents.put([thingPut('t', 1)])
    const target = documents.rebuildTarget()
    await target.begin()
    await target.abandon()
    await expect(target.put([])).rejects.toThrow('has not begun')
    expect(await physical()).toHaveLength(3)
    await documents.rebuildTarget().begin()
    expect(await documents.get(things, 't', 1)).toBeDefined()
  })

  it('given a new version, then the old one can be read until the rebuild of the new one, and throws afterwards', async () => {
    const old = await open()
    await old.put([thingPut('t', 1, { name: 'kept' })])
    const next = { ...things, version: 2 }
    const documents = await open([next, notes])
    expect(await documents.needsRebuild()).toEqual(['text_notes', 'things'])
    expect((await old.get(things, 't', 1))?.document.name).toBe('kept')
    expect(await documents.get(next, 't', 1)).toBeUndefined()
    const target = documents.rebuildTarget()
    await target.begin()
    await target.put([documentPut(next, 't', 1, thing({ name: 'kept' }), { revision: 0, position: '1' })])
    await target.commit()
    expect((await documents.get(next, 't', 1))?.document.name).toBe('kept')
    await expect(old.get(things, 't', 1)).rejects.toEqual(unavailable)
    expect(await physical()).toHaveLength(3)
    const back = await open()
    expect(await back.needsRebuild()).toEqual(['things'])
  })

  it('given a searched collection of an earlier version, when the new one is rebuilt, then the old names are dropped and all documents are found', async () => {
    const next = { ...entries, version: 2 }
    const entry = { name: 'orders', path: 'orders', parentId: null, kind: 1, score: 0, isGone: false }
    const put = (collection: typeof entries, id: number) =>
      documentPut(collection, 't', id, entry, { revision: 0, position: '1' })
    const rebuilt = async (collection: typeof entries, puts: readonly DocumentPut[], by = open([collection])) => {
      const target = (await by).rebuildTarget()
      await target.begin()
      await target.put(puts)
      await target.commit()
    }
    const countOf = async (documents: Documents, collection: typeof entries, text: string) =>
      (await documents.search(collection, 't', { text, size: 1 })).count

    const old = await open([entries])
    await old.put([put(entries, 1)])
    // Names in a format of an earlier version, and a foreign collection with a similar name.
    for (const name of ['entries_v1_names', 'entries_v1_names_copy'])
      await client.db(database).collection(name).insertOne({ tenant: 't' })
    const documents = await open([next])
    expect(await countOf(old, entries, 'orders')).toBe(1)
    await rebuilt(next, [put(next, 1)], Promise.resolve(documents))
    expect((await physical()).filter((name) => /_(names|words)/.test(name))).toEqual([
      'entries_v1_names_copy',
      'entries_v2_names2',
      'entries_v2_words2',
    ])
    // Rebuilds the earlier version, then this one again, so the names that this process has cached are stale.
    await rebuilt(entries, [])
    await rebuilt(next, [])
    await documents.put([put(next, 1)])
    expect(await countOf(documents, next, 'order')).toBe(1)
    expect(await countOf(documents, next, 'ordres')).toBe(1)
  })

  it('given other fields in the same version, when opened, then the collection is empty and needs a rebuild', async () => {
    const before = await open()
    await before.put([thingPut('t', 1)])
    const { name } = things.fields
    const changed = name === undefined ? things : { ...things, fields: { name }, listings: [] }
    const documents = await open([changed, notes])
    expect(await documents.needsRebuild()).toContain('things')
    expect(await documents.get(changed, 't', 1)).toBeUndefined()
    await expect.poll(() => before.get(things, 't', 1).catch((error: unknown) => error)).toEqual(unavailable)
  })

  it('given keys that are special to MongoDB, when put, then the text equals that of SQLite byte for byte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'documents-'))
    const database = openDatabase({ path: join(folder, 'a.db') })
    const stores = [createSqliteDocuments({ database, collections: collections }), await open()]
    const tags = { 'a.b': '1', $set: '2', '': '3', z: '\ud800', a: '\0', 'ü.$': '😀' }
    const put = documentPut(notes, 't', 'x', { text: 'a', tags }, { revision: 0, position: '1' })
    for (const store of stores) await store.put([put])
    const [sqlite, mongo] = await Promise.all(stores.map((store) => storedText(store, notes, 't', 'x')))
    await database.close()
    await rm(folder, { recursive: true })
    expect(mongo).toBe(sqlite)
    expect(mongo).toContain('"$set":"2"')
  })

  it('given missing or different indexes, when opened, then they are corrected', async () => {
    await open()
    const name = (await physical()).find((listed) => listed.startsWith('things')) ?? ''
    const wanted = await of(name).indexes()
    expect(wanted.map(({ name: index }) => index).toSorted()).toEqual([
      '_id_',
      'assay_f_name',
      'assay_f_open',
      'assay_f_score',
      'assay_f_size',
      'assay_f_title',
      'assay_id',
      'assay_l_open_size_name',
    ])
    for (const { key, name: index } of wanted) if (index !== '_id_') expect(Object.keys(key)[0]).toBe('tenant')
    await of(name).dropIndex('assay_f_size')
    await of(name).dropIndex('assay_f_name')
    await of(name).createIndex({ live: 1 }, { name: 'assay_f_name' })
    await open()
    const byName = (indexes: typeof wanted) => new Map(indexes.map(({ name: index, key }) => [index, key]))
    expect(byName(await of(name).indexes())).toEqual(byName(wanted))
    await of(name).createIndex({ text: 1 }, { unique: true, name: 'odd' })
    await expect(open()).rejects.toThrow(/odd .*unique/)
  })

  it('given a field that is only used in listings, when opened, then it has no index of its own and an earlier one is dropped', async () => {
    await open()
    const name = (await physical()).find((listed) => listed.startsWith('things')) ?? ''
    const fields: CollectionShape['fields'] = {
      ...things.fields,
      size: { type: 'integer', alone: false },
      open: { type: 'boolean', alone: false },
    }
    await open([{ ...things, fields }, notes])
    expect((await of(name).indexes()).map(({ name: index }) => index).toSorted()).toEqual([
      '_id_',
      'assay_f_name',
      'assay_f_score',
      'assay_f_title',
      'assay_id',
      'assay_l_open_size_name',
    ])
  })

  it('given a filter by a field, when MongoDB plans it, then it uses the index of the field', async () => {
    const documents = await open()
    await documents.put([thingPut('t', 1)])
    const name = (await physical()).find((listed) => listed.startsWith('things')) ?? ''
    const plan = await of(name)
      .find(filterOf('t', [{ field: 'name', is: 'a' }]))
      .explain()
    expect(JSON.stringify(plan)).toContain('assay_f_name')
  })

  it('given a dropped catalog, when read, then it throws instead of finding nothing', async () => {
    const documents = await open()
    await client.db(database).dropDatabase()
    await expect.poll(() => documents.get(things, 't', 1).catch((error: unknown) => error)).toEqual(unavailable)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@assay/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entries, entryPut } from '../testing/collections.ts'
import { notes, testCollections, thingPut, things } from '../testing/index.ts'
import { rebuildFeatures } from '../testing/rebuild.features.ts'
import { createSqliteDocuments } from './index.ts'

describe('SQLite documents: guarantees beyond the port', () => {
  let folder: string
  let database: Database
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'documents-'))
    database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
  })
  afterEach(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })
  const opened = () => createSqliteDocuments({ database, collections: testCollections })

  async function rebuilt(): Promise<void> {
    const target = opened().rebuildTarget()
    await target.begin()
    await target.commit()
  }

  rebuildFeatures(async () => {
    const documents = opened()
    return [documents, documents]
  })

  it('given a write that throws after `putNow`, then its documents are rolled back', async () => {
    const documents = opened()
    const write = database.write(() => {
      documents.putNow([thingPut('t', 1)])
      throw new Error('the event could not be appended')
    })
    await expect(write).rejects.toThrow('appended')
    expect(await documents.get(things, 't', 1)).toBeUndefined()
  })

  it('given new collections, when they are opened, then they need a rebuild until one is committed', async () => {
    expect(opened().needsRebuild()).toEqual(['bare_notes', 'entries', 'text_notes', 'things'])
    expect(opened().needsRebuild()).toEqual(['bare_notes', 'entries', 'text_notes', 'things'])
    await rebuilt()
    expect(opened().needsRebuild()).toEqual([])
  })

  it('given another version or other fields, when opened, then only that table is empty and needs a rebuild', async () => {
    await opened().put([thingPut('t', 1)])
    await rebuilt()
    await opened().put([thingPut('t', 1)])
    expect(await opened().get(things, 't', 1)).toBeDefined()
    const changed = createSqliteDocuments({ database, collections: [{ ...things, version: 2 }, notes] })
    expect(changed.needsRebuild()).toEqual(['things'])
    expect(await changed.get(things, 't', 1)).toBeUndefined()
    const name = things.fields.name ?? { type: 'text', of: () => null }
    const fewer = { ...things, version: 2, fields: { name }, listings: [] }
    await changed.rebuildTarget(['things']).begin()
    expect(createSqliteDocuments({ database, collections: [fewer, notes] }).needsRebuild()).toEqual(['things'])
  })

  it('given names with an old folding, when their collection gets another version, then they are folded again', async () => {
    const names = (store: ReturnType<typeof opened>, text: string) => store.search(entries, 't', { text, size: 5 })
    await opened().put([entryPut('t', 1, 'Straße')])
    database.exec(`UPDATE s_doc_entries_name SET folded = 'straße', squashed = 'straße'`)
    expect((await names(opened(), 'STRASSE')).count).toBe(0)
    const changed = createSqliteDocuments({ database, collections: [{ ...entries, version: 2 }] })
    await changed.put([entryPut('t', 1, 'Straße')])
    expect((await names(changed, 'STRASSE')).documents).toMatchObject([{ name: 'Straße' }])
  })

  it('given live puts throughout a rebuild and its switch, then no put fails or is lost', async () => {
    const documents = opened()
    const target = documents.rebuildTarget()
    await target.begin()
    const puts: Promise<void>[] = []
    let switched = false
    const committing = target.commit().then(() => {
      switched = true
    })
    while (!switched) {
      puts.push(documents.put([thingPut('t', puts.length)]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all([committing, ...puts])
    expect((await documents.find(things, 't', { size: 0 })).count).toBe(puts.length)
  })

  it('given an interrupted rebuild, when another begins, then the leftovers of the first are dropped', async () => {
    const first = opened().rebuildTarget()
    await first.begin()
    await first.put([thingPut('t', 1)])
    const documents = opened()
    const second = documents.rebuildTarget()
    await second.begin()
    await expect(documents.rebuildTarget().begin()).rejects.toThrow('already running')
    await second.commit()
    expect(await documents.get(things, 't', 1)).toBeUndefined()
  })

  it('given an abandoned rebuild, then another one can begin', async () => {
    const documents = opened()
    const target = documents.rebuildTarget()
    await target.begin()
    await target.abandon()
    await expect(target.put([])).rejects.toThrow('has not begun')
    await documents.rebuildTarget().begin()
  })

  it('given filters and sorts by a field, when SQLite plans them, then it uses the index of the field and does not sort', () => {
    opened()
    const plan = (rest: string) =>
      database.prepare(`EXPLAIN QUERY PLAN SELECT body FROM doc_things WHERE tenant = ? AND removed = 0 ${rest}`)
    const details = (rest: string, ...values: string[]) =>
      plan(rest)
        .all('t', ...values)
        .map((row) => String(row.detail))
        .join(' ')
    expect(details('AND "f_name" IS ? ORDER BY id LIMIT 5', 'a')).toMatch(
      /doc_things_name_1 \(tenant=\? AND f_name=\?\)$/,
    )
    expect(details('ORDER BY "f_size" DESC NULLS FIRST, id DESC LIMIT 5')).toMatch(/doc_things_size_1 \(tenant=\?\)$/)
  })
})

import { createSqliteDocuments } from '@assay/documents/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkpointCollections, createDocumentCheckpoints } from './document-checkpoints.ts'
import { openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let temporary: TemporaryStore
let documents: ReturnType<typeof createSqliteDocuments>

beforeAll(() => {
  temporary = openTemporaryStore()
  documents = createSqliteDocuments({ database: temporary.database, collections: checkpointCollections })
})
afterAll(() => temporary.close())

const parked = (stream: string, fromRevision: number, reason = 'bad') => ({
  stream,
  fromRevision,
  reason,
  parkedAt: `2026-01-02T03:04:0${fromRevision}.000Z`,
})

describe.each([
  ['documents', () => createDocumentCheckpoints(documents, temporary.newId)],
  ['a SQLite file', () => temporary.checkpoints],
])('given checkpoints in %s', (_, open) => {
  test('when a parked stream is asked for, then that stands there until it has failed again', async () => {
    const checkpoints = open()
    await checkpoints.park('asked', parked('t/x-1', 3))
    await checkpoints.park('other', parked('t/x-1', 4))
    expect(await checkpoints.ask('asked', 't/x-2')).toBe(false)
    expect(await checkpoints.ask('asked', 't/x-1')).toBe(true)
    expect(await checkpoints.ask('asked', 't/x-1')).toBe(true)
    expect(await checkpoints.parked('asked')).toEqual([{ ...parked('t/x-1', 3), isAsked: true }])
    expect(await checkpoints.parkedByAll()).toEqual([
      { name: 'asked', ...parked('t/x-1', 3), isAsked: true },
      { name: 'other', ...parked('t/x-1', 4) },
    ])
    await checkpoints.failAgain('asked', 't/x-1', 'still bad')
    expect(await checkpoints.parked('asked')).toEqual([parked('t/x-1', 3, 'still bad')])
    for (const name of ['asked', 'other'])
      expect(await checkpoints.unpark(name, 't/x-1', (await checkpoints.takeOver(name, 't/x-1')) ?? '')).toBe(true)
    expect(await checkpoints.parkedByAll()).toEqual([])
    expect(await checkpoints.ask('asked', 't/x-1')).toBe(false)
  })
})

describe('given checkpoints in documents', () => {
  test('when a position was set, then it is there, also for another process', async () => {
    const checkpoints = createDocumentCheckpoints(documents, temporary.newId)
    expect(await checkpoints.get('a')).toBeUndefined()
    await checkpoints.set('a', '0001')
    await checkpoints.set('a', '0003')
    expect(await createDocumentCheckpoints(documents, temporary.newId).get('a')).toBe('0003')
    expect(await checkpoints.get('b')).toBeUndefined()
  })

  test('when one who lost the lease sets an earlier position, then the later one stays', async () => {
    const checkpoints = createDocumentCheckpoints(documents, temporary.newId)
    await checkpoints.set('late', '0009')
    await checkpoints.set('late', '0004')
    expect(await checkpoints.get('late')).toBe('0009')
  })

  test('when many set at once, then the latest position stays', async () => {
    const writers = Array.from({ length: 8 }, () => createDocumentCheckpoints(documents, temporary.newId))
    const positions = Array.from({ length: 8 }, (_, index) => `000${(index * 5) % 8}`)
    await Promise.all(writers.map((writer, index) => writer.set('many', positions[index] ?? '')))
    expect(await createDocumentCheckpoints(documents, temporary.newId).get('many')).toBe('0007')
  })

  test('when a stream is parked twice, then it stays parked from the earlier revision', async () => {
    const checkpoints = createDocumentCheckpoints(documents, temporary.newId)
    await checkpoints.park('p', parked('t/x-1', 3))
    await checkpoints.park('p', parked('t/x-1', 7, 'worse'))
    await checkpoints.park('p', parked('t/x-2', 1))
    await checkpoints.park('q', parked('t/x-1', 1))
    expect(await checkpoints.parked('p')).toEqual([parked('t/x-2', 1), parked('t/x-1', 3)])
  })

  test('when another has taken a parked stream over, then only that one can set it going again', async () => {
    const [first, second] = [0, 1].map(() => createDocumentCheckpoints(documents, temporary.newId))
    if (first === undefined || second === undefined) throw new Error('there are two')
    const early = await first.park('over', parked('t/x-1', 3))
    const late = await second.takeOver('over', 't/x-1')
    expect(late).toBeDefined()
    expect(await first.unpark('over', 't/x-1', early)).toBe(false)
    expect(await second.parked('over')).toEqual([parked('t/x-1', 3)])
    expect(await second.unpark('over', 't/x-1', late ?? '')).toBe(true)
    // Its answer may have been lost.
    expect(await second.unpark('over', 't/x-1', late ?? '')).toBe(true)
    expect(await first.takeOver('over', 't/x-1')).toBeUndefined()
  })

  test('when several take a parked stream over at once, then one of them has it', async () => {
    const writers = Array.from({ length: 4 }, () => createDocumentCheckpoints(documents, temporary.newId))
    await writers[0]?.park('at once', parked('t/x-1', 3))
    const terms = await Promise.all(writers.map((writer) => writer.takeOver('at once', 't/x-1')))
    const set: boolean[] = []
    for (const [index, term] of terms.entries())
      set.push((await writers[index]?.unpark('at once', 't/x-1', term ?? '')) ?? false)
    expect(set.filter(Boolean)).toHaveLength(1)
  })

  test('when a stream goes on and is parked again, then it is parked', async () => {
    const checkpoints = createDocumentCheckpoints(documents, temporary.newId)
    const term = await checkpoints.park('again', parked('t/x-1', 3))
    expect(await checkpoints.unpark('again', 't/x-1', term)).toBe(true)
    expect(await checkpoints.parked('again')).toEqual([])
    expect(await checkpoints.unpark('again', 't/none', term)).toBe(false)
    await checkpoints.park('again', parked('t/x-1', 8))
    expect(await checkpoints.parked('again')).toEqual([parked('t/x-1', 8)])
  })
})

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

describe('given checkpoints in documents', () => {
  test('when a position was set, then it is there, also for another process', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    expect(await checkpoints.get('a')).toBeUndefined()
    await checkpoints.set('a', '0001')
    await checkpoints.set('a', '0003')
    expect(await createDocumentCheckpoints(documents).get('a')).toBe('0003')
    expect(await checkpoints.get('b')).toBeUndefined()
  })

  test('when one who lost the lease sets an earlier position, then the later one stays', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.set('late', '0009')
    await checkpoints.set('late', '0004')
    expect(await checkpoints.get('late')).toBe('0009')
  })

  test('when many set at once, then the latest position stays', async () => {
    const writers = Array.from({ length: 8 }, () => createDocumentCheckpoints(documents))
    const positions = Array.from({ length: 8 }, (_, index) => `000${(index * 5) % 8}`)
    await Promise.all(writers.map((writer, index) => writer.set('many', positions[index] ?? '')))
    expect(await createDocumentCheckpoints(documents).get('many')).toBe('0007')
  })

  test('when a stream is parked twice, then it stays parked from the earlier revision', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.park('p', parked('t/x-1', 3))
    await checkpoints.park('p', parked('t/x-1', 7, 'worse'))
    await checkpoints.park('p', parked('t/x-2', 1))
    await checkpoints.park('q', parked('t/x-1', 1))
    expect(await checkpoints.parked('p')).toEqual([parked('t/x-2', 1), parked('t/x-1', 3)])
  })

  test('when a stream goes on and is parked again, then it is parked', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.park('again', parked('t/x-1', 3))
    await checkpoints.unpark('again', 't/x-1')
    expect(await checkpoints.parked('again')).toEqual([])
    await checkpoints.unpark('again', 't/none')
    await checkpoints.park('again', parked('t/x-1', 8))
    expect(await checkpoints.parked('again')).toEqual([parked('t/x-1', 8)])
  })
})

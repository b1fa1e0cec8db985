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

const held = (stream: string, fromRevision: number, fence: number) => ({ ...parked(stream, fromRevision), fence })

describe.each([
  ['documents', () => createDocumentCheckpoints(documents)],
  ['a SQLite file', () => temporary.checkpoints],
])('given checkpoints in %s', (_, open) => {
  test('when a retry of a parked stream is requested, then the request is stored until the retry has failed', async () => {
    const checkpoints = open()
    await checkpoints.park('asked', parked('t/x-1', 3), 1)
    await checkpoints.park('other', parked('t/x-1', 4), 1)
    expect(await checkpoints.requestRetry('asked', 't/x-2')).toBe(false)
    expect(await checkpoints.requestRetry('asked', 't/x-1')).toBe(true)
    expect(await checkpoints.requestRetry('asked', 't/x-1')).toBe(true)
    expect(await checkpoints.parked('asked')).toMatchObject([{ ...parked('t/x-1', 3), isRetryRequested: true }])
    expect(await checkpoints.parkedByAll()).toMatchObject([
      { name: 'asked', ...parked('t/x-1', 3), isRetryRequested: true },
      { name: 'other', ...parked('t/x-1', 4) },
    ])
    await checkpoints.recordFailedRetry('asked', 't/x-1', 'still bad')
    expect(await checkpoints.parked('asked')).toMatchObject([parked('t/x-1', 3, 'still bad')])
    expect((await checkpoints.parked('asked'))[0]?.isRetryRequested).toBeUndefined()
    for (const name of ['asked', 'other']) expect(await checkpoints.unpark(name, 't/x-1', 1)).toBe(true)
    expect(await checkpoints.parkedByAll()).toEqual([])
    expect(await checkpoints.requestRetry('asked', 't/x-1')).toBe(false)
  })
})

describe('given checkpoints in documents', () => {
  test('when a position was set, then another process reads it, too', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    expect(await checkpoints.get('a')).toBeUndefined()
    await checkpoints.set('a', '0001', 1)
    await checkpoints.set('a', '0003', 1)
    expect(await createDocumentCheckpoints(documents).get('a')).toBe('0003')
    expect(await checkpoints.get('b')).toBeUndefined()
  })

  test('when a holder that lost the lease sets an earlier position, then the later one stays', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.set('late', '0009', 1)
    await checkpoints.set('late', '0004', 1)
    expect(await checkpoints.get('late')).toBe('0009')
  })

  test('when many processes set a position concurrently, then the latest position stays', async () => {
    const writers = Array.from({ length: 8 }, () => createDocumentCheckpoints(documents))
    const positions = Array.from({ length: 8 }, (_, index) => `000${(index * 5) % 8}`)
    await Promise.all(writers.map((writer, index) => writer.set('many', positions[index] ?? '', 1)))
    expect(await createDocumentCheckpoints(documents).get('many')).toBe('0007')
  })

  test('when a stream is parked twice, then it stays parked from the earlier revision', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.park('p', parked('t/x-1', 3), 1)
    await checkpoints.park('p', parked('t/x-1', 7, 'worse'), 1)
    await checkpoints.park('p', parked('t/x-2', 1), 1)
    await checkpoints.park('q', parked('t/x-1', 1), 1)
    expect(await checkpoints.parked('p')).toEqual([held('t/x-2', 1, 1), held('t/x-1', 3, 1)])
  })

  test('when the next holder has begun, then the former one changes nothing', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.begin('over', 1)
    await checkpoints.set('over', '0004', 1)
    await checkpoints.park('over', parked('t/x-1', 3), 1)
    expect(await checkpoints.begin('over', 2)).toBe('0004')
    await checkpoints.park('over', parked('t/x-1', 5), 2)
    await checkpoints.set('over', '0009', 1)
    await checkpoints.park('over', parked('t/x-1', 1), 1)
    expect(await checkpoints.unpark('over', 't/x-1', 1)).toBe(false)
    expect(await checkpoints.get('over')).toBe('0004')
    expect(await checkpoints.parked('over')).toEqual([held('t/x-1', 3, 2)])
    await expect(checkpoints.begin('over', 1)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/over has fence 2, above 1 .*another process.*newer than the log: see "Backup/),
    })
    expect(await checkpoints.unpark('over', 't/x-1', 2)).toBe(true)
    // A repeated call, as after a lost answer.
    expect(await checkpoints.unpark('over', 't/x-1', 2)).toBe(true)
  })

  test.each([
    ['the next holder', 3, 4],
    ['one process without a lease', 0, 0],
  ])(
    'when a running processor is restarted, then %s begins at the start of the log, despite later calls of `set`',
    async (_, held, next) => {
      const checkpoints = createDocumentCheckpoints(documents)
      const name = `restarted-${held}`
      await checkpoints.begin(name, held)
      await checkpoints.set(name, '0007', held)
      expect(await checkpoints.restart(name)).toBe(true)
      await checkpoints.set(name, '0008', held)
      expect(await checkpoints.begin(name, next)).toBeUndefined()
      await checkpoints.set(name, '0001', next)
      expect(await checkpoints.get(name)).toBe('0001')
    },
  )

  test('when a resumed stream is parked again, then it is parked', async () => {
    const checkpoints = createDocumentCheckpoints(documents)
    await checkpoints.park('again', parked('t/x-1', 3), 1)
    expect(await checkpoints.unpark('again', 't/x-1', 1)).toBe(true)
    expect(await checkpoints.parked('again')).toEqual([])
    expect(await checkpoints.unpark('again', 't/none', 1)).toBe(false)
    await checkpoints.park('again', parked('t/x-1', 8), 1)
    expect(await checkpoints.parked('again')).toEqual([held('t/x-1', 8, 1)])
  })
})

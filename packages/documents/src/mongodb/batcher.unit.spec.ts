import { AssayError, isTransient } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { createBatcher } from './batcher.ts'

/** A batcher whose writes end when the test ends them. */
function openBatcher(mostWaiting = 100_000) {
  const writes: { items: readonly string[]; end: () => void; fail: (error: unknown) => void }[] = []
  const put = createBatcher<string>({
    bound: { sizeOf: (item) => item.length, mostWaiting },
    write: (items) => new Promise((end, fail) => writes.push({ items, end, fail })),
    isForAll: isTransient,
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { put, writes, turn, itemsOf: () => writes.map(({ items }) => items.join('')) }
}

describe('the batcher', () => {
  it('given a write in progress, when more items arrive, then they are written together once it ends', async () => {
    const { put, writes, turn, itemsOf } = openBatcher()
    const all = ['a', 'b', 'c', 'd'].map((item) => put([item]))
    expect(itemsOf()).toEqual(['a'])
    writes[0]?.end()
    await turn()
    expect(itemsOf()).toEqual(['a', 'bcd'])
    writes[1]?.end()
    await Promise.all(all)
  })

  it('given several batches, then a caller gets its answer once its own batch is written', async () => {
    const { put, writes, turn } = openBatcher()
    const answered: string[] = []
    const all = ['a', 'b'].map((item) => put([item]).then(() => answered.push(item)))
    writes[0]?.end()
    await turn()
    expect(answered).toEqual(['a'])
    writes[1]?.end()
    await Promise.all(all)
  })

  it('given a batch that is refused, then each caller gets only its own error', async () => {
    const { put, writes, turn, itemsOf } = openBatcher()
    const all = Promise.allSettled(['a', 'b', 'c'].map((item) => put([item])))
    writes[0]?.end()
    await turn()
    writes[1]?.fail(new AssayError('too-large', 'It is too large.'))
    await turn()
    expect(itemsOf()).toEqual(['a', 'bc', 'b', 'c'])
    writes[2]?.fail(new AssayError('too-large', 'It is too large.'))
    writes[3]?.end()
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('given a store that hangs, when the queue is full, then further items are refused until the store answers', async () => {
    const { put, writes, turn } = openBatcher(10)
    const under = put(['a'.repeat(11)])
    const waits = [put(['bbbbb']), put(['ccccc'])]
    await expect(put(['d'])).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    writes[0]?.end()
    await turn()
    const later = put(['e'])
    for (let index = 1; index < 3; index++) {
      writes[index]?.end()
      await turn()
    }
    await Promise.all([under, ...waits, later])
  })

  it('given an unavailable store, then all callers of the batch get the error, and the next batch is tried', async () => {
    const { put, writes, turn, itemsOf } = openBatcher()
    const all = Promise.allSettled(['a', 'b', 'c'].map((item) => put([item])))
    writes[0]?.fail(new AssayError('unavailable', 'It is away.'))
    await turn()
    writes[1]?.fail(new AssayError('unavailable', 'It is away.'))
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const later = put(['d'])
    expect(itemsOf()).toEqual(['a', 'bc', 'd'])
    writes[2]?.end()
    await later
  })

  it('given a caller with very many items, then its items are not split and others are written after them', async () => {
    const { put, writes, turn } = openBatcher()
    const many = Array.from({ length: 600 }, () => 'x')
    const all = [put(['a']), put(many), put(['b'])]
    writes[0]?.end()
    await turn()
    expect(writes[1]?.items).toHaveLength(600)
    writes[1]?.end()
    await turn()
    expect(writes[2]?.items).toEqual(['b'])
    writes[2]?.end()
    await Promise.all(all)
  })
})

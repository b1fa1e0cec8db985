import { AssayError } from '@assay/service-kit/errors'

/** Maximum number of items per batch. The items of one caller are never split, even if there are more. */
const maxBatch = 500

interface Waiting<T> {
  items: readonly T[]
  size: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * A batcher: items that arrive during a write are written together by the next one, so the server flushes its journal
 * once for all of them. Resolves once `write` has written the caller's items. `write` must be idempotent. An error for
 * which `isForAll` is true rejects all callers of the batch. After any other error, the items of each caller are
 * written separately, so callers get only their own errors. Rejects with `unavailable` if the queued items would exceed
 * `mostWaiting`.
 */
export function createBatcher<T>(options: {
  write: (items: readonly T[]) => Promise<void>
  isForAll: (error: unknown) => boolean
  bound?: { sizeOf: (item: T) => number; mostWaiting: number }
}): (items: readonly T[]) => Promise<void> {
  const { write, isForAll, bound } = options
  let waiting: Waiting<T>[] = []
  let waitingSize = 0
  let isWorking = false

  function taken(): Waiting<T>[] {
    let count = 0
    const end = waiting.findIndex(({ items }, at) => {
      count += items.length
      return at > 0 && count > maxBatch
    })
    const batch = end < 0 ? waiting : waiting.slice(0, end)
    waiting = waiting.slice(batch.length)
    for (const { size } of batch) waitingSize -= size
    return batch
  }

  function alone({ items, resolve, reject }: Waiting<T>): Promise<void> {
    return write(items).then(resolve, reject)
  }

  async function together(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await write(batch.flatMap(({ items }) => items))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      if (isForAll(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map(alone))
    }
  }

  async function work(): Promise<void> {
    isWorking = true
    for (let batch = taken(); batch.length > 0; batch = taken()) {
      const [first, ...others] = batch
      if (first !== undefined && others.length === 0) await alone(first)
      else await together(batch)
    }
    isWorking = false
  }

  return (items) =>
    new Promise((resolve, reject) => {
      const size = bound === undefined ? 0 : items.reduce((sum, item) => sum + bound.sizeOf(item), 0)
      if (bound !== undefined && waitingSize > 0 && waitingSize + size > bound.mostWaiting) {
        const text = 'Too many writes are waiting for MongoDB. Try again in a moment.'
        reject(new AssayError('unavailable', text, { retryAfterSeconds: 1 }))
        return
      }
      waitingSize += size
      waiting.push({ items, size, resolve, reject })
      if (!isWorking) void work()
    })
}

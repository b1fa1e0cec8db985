import { setImmediate as nextTurn } from 'node:timers/promises'
import { isAssayError } from '@assay/service-kit/errors'
import { expect, it, vi } from 'vitest'
import { createFlushes, noFlushes } from './flushes.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Transactions } from './transactions.ts'

const none: Transactions = {
  begin: () => undefined,
  commit: () => undefined,
  rollback: () => undefined,
  open: () => true,
  savepoint: (work) => work(),
  afterCommit: (work) => work(),
}

/** Flushes of a disk that takes a second, which end when the test says so. */
async function heldFlushes() {
  let time = 0
  const now = () => {
    time += 1_000
    return time
  }
  const syncs: { succeed(): void; fail(error: Error): void }[] = []
  const flush = () => new Promise<void>((succeed, fail) => syncs.push({ succeed, fail }))
  const flushes = createFlushes({ flush, flushNow: () => {}, close: () => {} }, now)
  // The first one blocks, because nobody knows yet that the disk is slow.
  await flushes.flushed(true)
  return { syncs, flushes }
}

/** A group commit whose writes note when they run and when they are answered, and whose transactions note their sizes. */
function noting(flushes = noFlushes) {
  let time = 0
  let pieces = 0
  const sizes: number[] = []
  const commit = () => {
    sizes.push(pieces)
    pieces = 0
  }
  const answered: string[] = []
  const group = createGroupCommit({ ...none, commit }, flushes, () => time)
  const write = (name: string, milliseconds = 0) =>
    group
      .write(() => {
        time += milliseconds
        pieces += 1
      })
      .then(
        () => answered.push(name),
        (error: unknown) => answered.push(`${name}: ${isAssayError(error) ? error.code : error}`),
      )
  return { group, write, sizes, answered }
}

it('given many writes, then a transaction takes 6 ms at most, and the disk does not delay the next one', async () => {
  const { syncs, flushes } = await heldFlushes()
  const { write, sizes } = noting(flushes)
  for (let n = 0; n < 25; n += 1) void write(String(n), 1)
  await vi.waitFor(() => expect(sizes).toEqual([6, 6, 6, 6, 1]))
  expect(syncs).toHaveLength(1)
})

it('given writes during a flush, then they share the next transaction, and each is answered only when it is flushed', async () => {
  const { syncs, flushes } = await heldFlushes()
  const { group, write, sizes, answered } = noting(flushes)
  void write('a')
  await vi.waitFor(() => expect(syncs).toHaveLength(1))
  void write('b')
  void write('c')
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  expect({ sizes, answered }).toEqual({ sizes: [1], answered: [] })
  syncs[0]?.succeed()
  await vi.waitFor(() => expect(syncs).toHaveLength(2))
  expect({ sizes, answered }).toEqual({ sizes: [1, 2], answered: ['a'] })
  const closed = group.close()
  syncs[1]?.succeed()
  await closed
  expect(answered).toEqual(['a', 'b', 'c'])
})

it('given a flush that fails, then its writers get an unknown outcome, and nothing is written any more', async () => {
  const { syncs, flushes } = await heldFlushes()
  const { write, sizes, answered } = noting(flushes)
  void write('a')
  await vi.waitFor(() => expect(syncs).toHaveLength(1))
  void write('b')
  syncs[0]?.fail(new Error('EIO'))
  await vi.waitFor(() => expect(answered).toEqual(['a: unknown-outcome', 'b: unavailable']))
  await write('c')
  expect({ sizes, last: answered.at(-1) }).toEqual({ sizes: [1], last: 'c: unavailable' })
})

it('given writers that each write again, when work waits for quiet, then it waits for all writes or until its limit', async () => {
  let time = 0
  let written = 0
  const group = createGroupCommit(none, noFlushes, () => time)
  const write = () => {
    written += 1
  }
  const writer = async () => {
    for (let count = 0; count < 10; count += 1) await group.write(write)
  }
  const writers = Array.from({ length: 5 }, writer)
  await group.quiet(1_000)
  expect(written).toBe(50)

  const slowWrite = () => {
    time += 1_000
  }
  writers.push(group.write(slowWrite).then(writer))
  await group.quiet(1_000)
  expect(written).toBe(50)
  await Promise.all(writers)
})

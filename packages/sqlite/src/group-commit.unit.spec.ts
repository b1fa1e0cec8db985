import { expect, it } from 'vitest'
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

/** The sizes of the transactions of 1,000 writes of one millisecond each, if a commit takes as long as given. */
async function transactionSizes(commitMilliseconds: number): Promise<number[]> {
  let time = 0
  let pieces = 0
  const sizes: number[] = []
  const transactions: Transactions = {
    ...none,
    begin: () => {
      pieces = 0
    },
    commit: () => {
      time += commitMilliseconds
      sizes.push(pieces)
    },
  }
  const group = createGroupCommit(transactions, () => time)
  const write = () =>
    group.write(() => {
      time += 1
      pieces += 1
    })
  await Promise.all(Array.from({ length: 1_000 }, write))
  return sizes
}

it('given commits that take long, then transactions become longer, as long as both block for at most 20 ms', async () => {
  const last = async (milliseconds: number) => (await transactionSizes(milliseconds)).at(-2)
  expect(await last(1)).toBe(10)
  expect(await last(6)).toBe(12)
  expect(await last(12)).toBe(10)
})

it('given commits that take too long by themselves, then transactions become longer, up to a limit', async () => {
  expect((await transactionSizes(25)).at(-2)).toBe(40)
  expect((await transactionSizes(200)).at(-2)).toBe(40)
})

it('given a first commit that takes long, then the next transaction is hardly longer', async () => {
  expect((await transactionSizes(10)).slice(0, 2)).toEqual([10, 10])
})

it('given writers that each write again, when work waits for quiet, then it waits for all writes or until its limit', async () => {
  let time = 0
  let written = 0
  const group = createGroupCommit(none, () => time)
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

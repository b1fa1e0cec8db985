import { expect, it } from 'vitest'
import { createFlushes } from './flushes.ts'

/** Flushes of a disk that takes as long as given, in milliseconds, and where each of them ran. */
function flushesOf(milliseconds: number) {
  let time = 0
  const ran: ('here' | 'elsewhere')[] = []
  const take = (where: 'here' | 'elsewhere') => {
    ran.push(where)
    time += milliseconds
  }
  const disk = { flush: async () => take('elsewhere'), flushNow: () => take('here'), close: () => {} }
  return { flushes: createFlushes(disk, () => time), ran }
}

it.each([
  { disk: 'quick', milliseconds: 0.1, one: 'here', many: 'here' },
  { disk: 'usual', milliseconds: 1.5, one: 'here', many: 'elsewhere' },
  { disk: 'slow', milliseconds: 20, one: 'elsewhere', many: 'elsewhere' },
])(
  'given a $disk disk, then a flush for one writer blocks $one, and a flush for many $many',
  async ({ milliseconds, one, many }) => {
    const { flushes, ran } = flushesOf(milliseconds)
    for (let n = 0; n < 20; n += 1) await flushes.flushed(true)
    await flushes.flushed(false)
    expect(ran.slice(-2)).toEqual([one, many])
  },
)

it('given commits during a flush, then they share the next one, which begins after it', async () => {
  const begun: (() => void)[] = []
  const flush = () => new Promise<void>((resolve) => begun.push(resolve))
  let time = 0
  const now = () => {
    time += 1_000
    return time
  }
  const flushes = createFlushes({ flush, flushNow: () => {}, close: () => {} }, now)
  await flushes.flushed(true)
  const first = flushes.flushed(false)
  const others = Promise.all([flushes.flushed(false), flushes.flushed(true)])
  expect(begun).toHaveLength(1)
  begun[0]?.()
  await first
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.()
  await others
  expect(begun).toHaveLength(2)
})

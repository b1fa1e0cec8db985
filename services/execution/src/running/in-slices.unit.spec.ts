import { expect, it } from 'vitest'
import { inSlices } from './in-slices.ts'

it('given a computation that takes long, then other work gets its turn every ten milliseconds', async () => {
  let time = 0
  let turns = 0
  const takeTurns = () => {
    turns += 1
    if (time < 100) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  function* steps(): Generator<undefined, number> {
    while (time < 100) {
      time += 4
      yield
    }
    return time
  }
  expect(await inSlices(steps(), new AbortController().signal, () => time)).toBe(100)
  expect(turns).toBeGreaterThanOrEqual(8)
})

it('given a signal that aborts, then it stops at the next turn', async () => {
  const abort = new AbortController()
  function* endless(): Generator<undefined, never> {
    for (let step = 0; ; step += 1) {
      if (step === 3) abort.abort(new Error('cancelled'))
      yield
    }
  }
  let time = 0
  await expect(inSlices(endless(), abort.signal, () => (time += 20))).rejects.toThrow()
})

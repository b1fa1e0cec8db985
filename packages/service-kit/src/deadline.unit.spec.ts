import { describe, expect, it } from 'vitest'
import { withDeadline } from './deadline.ts'

/** One sleep that a test ends with `pass`; `waits` is true until it ends. */
function createSleep() {
  const sleep = { waits: false, pass: () => {} }
  const timers = {
    sleep: (_milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleep.waits = true
        const end = () => {
          sleep.waits = false
          resolve()
        }
        sleep.pass = end
        signal?.addEventListener('abort', end)
      }),
  }
  return { sleep, timers }
}

const late = new Error('It took too long.')
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('a deadline', () => {
  it('given work that ends in time, then its result or error is returned, and no timer is left', async () => {
    const { sleep, timers } = createSleep()
    expect(await withDeadline(timers, { milliseconds: 5, late }, async () => 'done')).toBe('done')
    expect(sleep.waits).toBe(false)
    const failed = withDeadline(timers, { milliseconds: 5, late }, () => Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(sleep.waits).toBe(false)
  })

  it('given work that exceeds the deadline, then it is aborted, and any error becomes `late`', async () => {
    const { sleep, timers } = createSleep()
    const work = withDeadline(timers, { milliseconds: 5, late }, (signal) =>
      untilAborted(signal).catch(() => Promise.reject(new Error('The connection was closed.'))),
    )
    sleep.pass()
    await expect(work).rejects.toBe(late)
  })

  it('given another signal that aborts, then the work is aborted with its reason', async () => {
    const { sleep, timers } = createSleep()
    const caller = new AbortController()
    const work = withDeadline(timers, { milliseconds: 5, late, signals: [caller.signal] }, untilAborted)
    caller.abort(new Error('The caller has left.'))
    await expect(work).rejects.toThrow('The caller has left.')
    expect(sleep.waits).toBe(false)
  })
})

import { v7 } from 'uuid'
import type { Clock, NewId, Timers } from './ambient.ts'

/** The real ones. Only `main.ts` files and tests of adapters use them. */
export const systemClock: Clock = { now: () => Date.now() }

/** Ids of one process ascend, also within a millisecond. */
export const uuidV7: NewId = () => v7()

export const systemTimers: Timers = {
  // Node's own one makes an error with a stack of each sleep that is ended early, and busy followers of a log end most.
  sleep(milliseconds, signal) {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      signal?.addEventListener('abort', end, { once: true })
    })
  },
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds)
    return { stop: () => clearInterval(timer) }
  },
}

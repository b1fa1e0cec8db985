import { randomFillSync } from 'node:crypto'
import type { Clock, NewId, Timers } from './ambient.ts'
import { createUuidV7, drawnRandom } from './uuid-v7.ts'

/** The real ones. Only `main.ts` files and tests of adapters use them. */
export const systemClock: Clock = { now: () => Date.now() }

export const uuidV7: NewId = createUuidV7({ now: Date.now, random: drawnRandom(randomFillSync) })

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

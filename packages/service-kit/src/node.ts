import { setTimeout as delay } from 'node:timers/promises'
import { v7 } from 'uuid'
import type { Clock, NewId, Timers } from './ambient.ts'

/** The real ones. Only `main.ts` files and tests of adapters use them. */
export const systemClock: Clock = { now: () => Date.now() }

export const uuidV7: NewId = () => v7()

export const systemTimers: Timers = {
  async sleep(milliseconds, signal) {
    await delay(milliseconds, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      if (!signal?.aborted) throw error
    })
  },
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds)
    return { stop: () => clearInterval(timer) }
  },
}

import { randomFillSync } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, NewId, Timers } from './ambient.ts'
import { createUuidV7, drawnRandom } from './uuid-v7.ts'

/** The real ones. Only `main.ts` files and tests of adapters use them. */
export const systemClock: Clock = { now: () => Date.now() }

export const uuidV7: NewId = createUuidV7({ now: Date.now, random: drawnRandom(randomFillSync) })

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

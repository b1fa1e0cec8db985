import { schedule } from 'node-cron'
import { v7 } from 'uuid'
import type { Clock, NewId, SecondTimers } from './ambient.ts'

/** The real ones. Only `main.ts` files and tests of adapters use them. */
export const systemClock: Clock = { now: () => Date.now() }

/** Ids of one process ascend, also within a millisecond. */
export const uuidV7: NewId = () => v7()

const nothing = () => {}
/** A second that was missed, or is left out because the last one goes on, is made up for by the next one. */
const quiet = { info: nothing, warn: nothing, error: nothing, debug: nothing }

export const systemTimers: SecondTimers = {
  // Node's own version creates an error with a stack for each aborted sleep, and busy log subscriptions abort most of
  // them.
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
  everySecond(work) {
    const task = schedule('* * * * * *', work, { noOverlap: true, logger: quiet, suppressMissedWarning: true })
    return { stop: () => void task.destroy() }
  },
}

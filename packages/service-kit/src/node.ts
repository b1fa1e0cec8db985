import { randomFillSync } from 'node:crypto'
import { schedule } from 'node-cron'
import { v7 } from 'uuid'
import type { Clock, NewId, SecondTimers } from './ambient.ts'

/** The system's clock. Only `main.ts` files and tests of adapters use this file. */
export const systemClock: Clock = { now: () => Date.now() }

/** Buffered random bytes: a system call per id would take ten times as long as formatting the id. */
const entropy = new Uint8Array(16 * 256)
let used = entropy.length

function randomBytes(): Uint8Array {
  if (used === entropy.length) {
    randomFillSync(entropy)
    used = 0
  }
  used += 16
  return entropy.subarray(used - 16, used)
}

let msecs = 0
let seq = 0

/** Ids of one process increase, even within a millisecond. */
export const uuidV7: NewId = () => {
  const random = randomBytes()
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // Leaves half of the range for further ids of the same millisecond.
    seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
  } else seq += 1
  return v7({ msecs, seq, random })
}

const nothing = () => {}
/** Logs nothing. If a second is missed, or skipped during a long call, the next one makes up for it. */
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

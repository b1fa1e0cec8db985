import { setImmediate } from 'node:timers/promises'
import type { Steps } from '@assay/reliability'

/** Requests that arrive meanwhile wait about this long at most. */
const sliceMs = 10

/** A function that lets other work run if the current slice has lasted long enough. Rejects if the signal aborts. */
export function createTurns(now = () => performance.now()): (signal?: AbortSignal) => Promise<void> {
  let since = now()
  return async (signal) => {
    if (now() - since < sliceMs) return
    await setImmediate(undefined, signal ? { signal } : {})
    since = now()
  }
}

/** The result of a computation in parts. Other work gets its turn after each slice. Rejects if the signal aborts. */
export async function inSlices<T>(steps: Steps<T>, signal: AbortSignal, now = () => performance.now()): Promise<T> {
  const takeTurns = createTurns(now)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await takeTurns(signal)
  }
}

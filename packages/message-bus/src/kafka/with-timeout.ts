import type { Timers } from '@assay/service-kit'

/** Waits for `work`, at most for the given milliseconds. Leaves no timer behind. */
export async function withTimeout(timers: Timers, milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([work, timers.sleep(milliseconds, over.signal)])
  } finally {
    over.abort()
  }
}

import type { Timers } from '@assay/service-kit'

/** No request waits longer for what gateways tell each other. Milliseconds. */
const patienceMs = 2_000

/** What `work` comes to; `undefined` where it takes too long. */
export async function withinPatience<T>(timers: Pick<Timers, 'sleep'>, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController()
  try {
    return await Promise.race([work, timers.sleep(patienceMs, over.signal).then(() => undefined)])
  } finally {
    over.abort()
  }
}

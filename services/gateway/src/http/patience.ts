import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'

/** No request waits longer for what gateways tell each other. Milliseconds. */
const patienceMs = 2_000
/** For so long nobody asks a store that did not answer; then one does. Milliseconds. */
const restMs = 1_000

/** Bounds what requests wait, all together, for a store that they can do without. */
export interface Patience {
  /** What `work` comes to; `undefined` where it fails, takes too long, or is spared because another did so just now. */
  within<T>(work: () => Promise<T>): Promise<T | undefined>
}

export function createPatience(deps: { clock: Clock; timers: Pick<Timers, 'sleep'>; logger: Logger }): Patience {
  const { clock, timers, logger } = deps
  let isAway = false
  let restsUntil = 0

  function failed(error: string): undefined {
    // Those that were under way say no more than the first.
    if (!isAway) logger.warn({ error }, 'what gateways tell each other of writes and pages cannot be exchanged')
    isAway = true
    restsUntil = clock.now() + restMs
    return undefined
  }

  async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    const over = new AbortController()
    const late = timers.sleep(patienceMs, over.signal).then(() => ({ isLate: true }) as const)
    try {
      const first = await Promise.race([work().then((value) => ({ isLate: false, value }) as const), late])
      if (first.isLate) return failed(`There was no answer within ${patienceMs} ms.`)
      isAway = false
      return first.value
    } catch (error) {
      return failed(messageOf(error))
    } finally {
      over.abort()
    }
  }

  return {
    async within(work) {
      if (isAway) {
        if (clock.now() < restsUntil) return undefined
        // The others are spared until this one knows.
        restsUntil = clock.now() + patienceMs + restMs
      }
      return tried(work)
    },
  }
}

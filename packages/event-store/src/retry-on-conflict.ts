import type { Timers } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'

const maxTries = 50
const firstPauseMs = 1
const longestPauseMs = 100

/**
 * Retries `work`, with growing pauses, while it ends in a `conflict`, which means that another writer was first. So
 * `work` must read the current state each time. Rejects with the `conflict` after fifty attempts; their pauses take
 * about four seconds.
 */
export async function retryOnConflict<T>(timers: Pick<Timers, 'sleep'>, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isAssayError(error, 'conflict') || tries === maxTries) throw error
    }
    await timers.sleep(Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs))
  }
}

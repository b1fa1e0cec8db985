import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'

const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * Retries `work` until its servers answer, for at most `timeoutMs`; afterwards rejects with the last error. A permanent
 * error rejects immediately. Returns `undefined` if `signal` aborts meanwhile. `onWait` gets the reason for waiting,
 * such as the server's error.
 */
export async function retryUntil<T>(
  work: () => Promise<T>,
  options: {
    timeoutMs: number
    clock: Clock
    timers: Timers
    logger: Logger
    signal: AbortSignal
    onWait?: (reason: string) => void
  },
): Promise<T | undefined> {
  const { timeoutMs, clock, timers, logger, signal, onWait } = options
  const until = clock.now() + timeoutMs
  let logged = ''
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isTransient = isAssayError(error, 'unavailable') || isAssayError(error, 'timeout')
      if (!isTransient || clock.now() >= until) throw error
      if (logged !== messageOf(error)) logger.info({ waitingFor: messageOf(error) }, 'the start waits for a dependency')
      logged = messageOf(error)
      onWait?.(logged)
    }
    await timers.sleep(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs), signal)
  }
  return undefined
}

import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'

const pauseMs = 500

/**
 * Tries until the servers that `work` needs are there, for at most `patienceMs`; then its error stands. What waiting
 * cannot mend stands at once. Answers `undefined` when `signal` aborts meanwhile.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  options: { patienceMs: number; clock: Clock; timers: Timers; logger: Logger; signal: AbortSignal },
): Promise<T | undefined> {
  const { patienceMs, clock, timers, logger, signal } = options
  const until = clock.now() + patienceMs
  let told = ''
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      const isPassing = isAssayError(error, 'unavailable') || isAssayError(error, 'timeout')
      if (!isPassing || clock.now() >= until) throw error
      if (told !== messageOf(error)) logger.info({ waitingFor: messageOf(error) }, 'the start waits')
      told = messageOf(error)
    }
    await timers.sleep(pauseMs, signal)
  }
  return undefined
}

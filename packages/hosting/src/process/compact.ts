import { Session } from 'node:inspector/promises'
import { type Logger, messageOf, type Timers } from '@assay/service-kit'

/** After this time, background work of the startup, such as joining consumer groups, is assumed to have ended. */
const afterMs = 5_000

/**
 * Releases the memory that the startup used, once. Loading a thousand modules grows the young generation to its limit,
 * and in an idle process V8 does not collect it. The collection blocks the event loop for about 0.1 s, and for 0.3 to
 * 0.8 s if six processes start together on two cores.
 */
export async function compactAfterStart(options: {
  timers: Timers
  logger: Logger
  signal: AbortSignal
}): Promise<void> {
  const { timers, logger, signal } = options
  await timers.sleep(afterMs, signal)
  if (signal.aborted) return
  const session = new Session()
  try {
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
  } catch (error) {
    logger.debug({ error: messageOf(error) }, 'memory that was used only during the start could not be released')
  } finally {
    session.disconnect()
  }
}

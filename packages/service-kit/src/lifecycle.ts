import type { Timers } from './ambient.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './logger.ts'

/** Something that is started and stopped. `stopWithinMs`: maximum time that the stop waits for it. */
export interface Part {
  name: string
  start?(): Promise<void>
  stop?(): Promise<void>
  stopWithinMs?: number
}

export interface Lifecycle {
  /** Starts the parts in order. If one fails, stops the parts before it and throws its error. */
  start(): Promise<void>
  /** Stops in reverse order, each part within its limit. A second call waits for the first one. */
  stop(): Promise<void>
}

export function createLifecycle(deps: { parts: readonly Part[]; timers: Timers; logger: Logger }): Lifecycle {
  const { parts, timers, logger } = deps
  const started: Part[] = []
  let stopping: Promise<void> | undefined

  async function stopPart(part: Part): Promise<void> {
    const limit = new AbortController()
    const work = (part.stop?.() ?? Promise.resolve()).then(
      () => true,
      (error: unknown) => {
        logger.error({ part: part.name, error }, 'a part did not stop cleanly')
        return true
      },
    )
    const late = timers.sleep(part.stopWithinMs ?? 10_000, limit.signal).then(() => false)
    if (!(await Promise.race([work, late])))
      logger.warn({ part: part.name }, 'a part did not stop in time and was abandoned')
    limit.abort()
  }

  async function stopAll(): Promise<void> {
    for (const part of started.splice(0).reverse()) await stopPart(part)
  }

  const stop = () => {
    stopping ??= stopAll()
    return stopping
  }
  return {
    async start() {
      for (const part of parts) {
        try {
          await part.start?.()
          started.push(part)
        } catch (error) {
          // The caller reports the reason; the log keeps the details.
          logger.debug({ part: part.name, error }, `the start failed: ${messageOf(error)}`)
          await stop()
          throw error
        }
      }
    },
    stop,
  }
}

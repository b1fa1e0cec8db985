import type { Logger } from '@assay/service-kit'

const eventsBetween = 100_000

/** Reports that a start rebuilds read models, once there is an event to fold, and the progress after each 100,000. */
export function tellProgress(logger: Logger, collections: readonly string[]): (events: number) => void {
  let next = 1
  return (events) => {
    if (events < next) return
    next = events + eventsBetween
    logger.info({ collections, events }, 'read models are being rebuilt from the log; the start continues after that')
  }
}

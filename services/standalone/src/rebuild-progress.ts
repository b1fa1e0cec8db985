import type { Logger } from '@assay/service-kit'

const eventsBetween = 100_000

/** Logs that read models are rebuilt when the first events are folded, and again every 100,000 events. */
export function logProgress(logger: Logger, collections: readonly string[]): (events: number) => void {
  let next = 1
  return (events) => {
    if (events < next) return
    next = events + eventsBetween
    logger.info({ collections, events }, 'read models are being rebuilt from the log; the start continues after that')
  }
}

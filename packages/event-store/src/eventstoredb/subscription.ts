import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { EventStoreDBClient } from '@eventstore/db-client'
import type { EventStore, LogFilter, LogSlice } from '../port.ts'
import { readError } from './errors.ts'
import { streamNamePattern } from './filter.ts'
import { follow, quietMs } from './following.ts'
import type { ReadLog } from './log.ts'

/** Most events of one slice. */
const page = 500
const firstPauseMs = 50
const longestPauseMs = 5_000

/** Trouble that another try can mend. */
function passing(error: unknown): boolean {
  return isAssayError(error, 'unavailable') || isAssayError(error, 'timeout')
}

/**
 * A page by a read at once, then a subscription that the server filters, taken up again behind the last position when
 * it is lost. Rejects with `unavailable` or `timeout` when that has not worked for `resubscribeMs`: the reader is told
 * rather than left to take silence for rest.
 */
export function createSubscribe(options: {
  client: EventStoreDBClient
  scan: ReadLog
  clock: Clock
  timers: Timers
  readMs: number
  resubscribeMs: number
  closing: AbortSignal
}): EventStore['subscribe'] {
  const { client, scan, clock, timers, readMs, resubscribeMs, closing } = options

  /** What comes behind `reached`, by one subscription. `works` is called while it does. */
  async function* once(
    reached: LogSlice,
    categories: LogFilter['categories'],
    signal: AbortSignal,
    works: () => void,
  ): AsyncGenerator<LogSlice> {
    const pattern = streamNamePattern(categories)
    const following = follow({ client, pattern, after: reached.position, atEnd: reached.atEnd, page, timers, signal })
    let { position, atEnd } = reached
    try {
      while (!signal.aborted) {
        const confirmed = following.confirmed()
        if (confirmed) works()
        const slice = await following.next(confirmed ? (atEnd ? undefined : quietMs) : readMs)
        if (signal.aborted) return
        if (slice !== undefined) {
          position = slice.position
          atEnd = slice.atEnd
          yield slice
        } else if (!following.confirmed()) {
          throw new AssayError('timeout', 'The event store did not confirm the subscription in time. Try again.')
        } else if (confirmed) {
          // Events that a read finds are not handed on here: the subscription is about to bring them.
          const rest = await scan(position, page, categories)
          if (rest.events.length === 0 && rest.atEnd) following.skipTo(rest.position)
        }
      }
    } finally {
      following.stop()
    }
  }

  return async function* subscribe({ categories, after, signal: ended }) {
    const signal = AbortSignal.any([ended, closing])
    let reached: LogSlice | undefined
    let failures = 0
    let failingSince: number | undefined
    const works = (): void => {
      failures = 0
      failingSince = undefined
    }
    while (!signal.aborted) {
      try {
        if (reached === undefined) {
          reached = await scan(after, page, categories)
          works()
          if (!signal.aborted) yield reached
        }
        for await (const slice of once(reached, categories, signal, works)) {
          reached = slice
          yield slice
        }
      } catch (cause) {
        if (signal.aborted) return
        const error = readError(cause)
        failingSince ??= clock.now()
        if (!passing(error) || clock.now() - failingSince >= resubscribeMs) throw error
        failures += 1
        await timers.sleep(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs), signal)
      }
    }
  }
}

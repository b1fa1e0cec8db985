import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { EventStoreDBClient } from '@eventstore/db-client'
import type { EventStore, LogFilter, LogSlice } from '../port.ts'
import { readError } from './errors.ts'
import { streamNamePattern } from './filter.ts'
import { follow, quietMs } from './following.ts'
import type { ReadLog } from './log.ts'

/** Maximum events per slice. */
const page = 500
const firstPauseMs = 50
const longestPauseMs = 5_000

function isTransientFailure(error: unknown): boolean {
  return isAssayError(error, 'unavailable') || isAssayError(error, 'timeout')
}

/**
 * Reads one page, then subscribes with a filter at the server. If the subscription is lost, subscribes again after the
 * last position. Rejects with `unavailable` or `timeout` if that fails for `resubscribeMs`: otherwise an outage would
 * look like an idle log.
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

  /** The events after `reached`, by one subscription. Calls `works` whenever the subscription has delivered. */
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
          // The subscription is about to deliver events that a read finds, so they are not yielded here.
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
        if (!isTransientFailure(error) || clock.now() - failingSince >= resubscribeMs) throw error
        failures += 1
        await timers.sleep(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs), signal)
      }
    }
  }
}

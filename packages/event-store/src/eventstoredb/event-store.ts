import type { Clock, Timers } from '@assay/service-kit'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { checkedStreamName } from '../limits.ts'
import type { EventStore } from '../port.ts'
import { createAppend } from './append.ts'
import { connect } from './connection.ts'
import { readError } from './errors.ts'
import { createReadLog, createScan } from './log.ts'
import { createStreamReader } from './read.ts'
import { createSubscribe } from './subscription.ts'

const defaultLogPage = 500

/** Milliseconds. */
export interface Deadlines {
  /** Timeout of an append; then its outcome is unknown. Default 10,000. */
  append?: number | undefined
  /** Timeout between two events of a read, and for the confirmation of a subscription. Default 10,000. */
  read?: number | undefined
  /** How long a lost subscription is retried before its reader gets an error. Default 30,000. */
  resubscribe?: number | undefined
}

/**
 * The log in an EventStoreDB (22.6 or later) or KurrentDB. User, TLS and nodes are in the connection string
 * (`esdb://user:password@host:2113?tls=true&tlsCaFile=/etc/ca.pem`, several hosts for a cluster). Throws `invalid` if
 * the string, or a file that it names, cannot be read. No error quotes the string. Connects with the first call.
 * `close` ends subscriptions and open calls.
 */
export function createEventStoreDb(options: {
  connectionString: string
  clock?: Clock
  timers?: Timers
  deadlines?: Deadlines
}): EventStore {
  const { connectionString, clock = systemClock, timers = systemTimers, deadlines = {} } = options
  const { append: appendMs = 10_000, read: readMs = 10_000, resubscribe: resubscribeMs = 30_000 } = deadlines
  const { client, close } = connect(connectionString, timers)
  const closing = new AbortController()
  const reader = createStreamReader(client, readMs, timers)
  const scan = createScan(client, readMs, timers)
  const readLog = createReadLog(client, scan, readMs, timers)
  return {
    append: createAppend(client, reader, appendMs, timers),
    read: reader.read,
    readAll: (range = {}) => readLog(range.after, range.limit ?? defaultLogPage, range.categories),
    subscribe: createSubscribe({ client, scan, clock, timers, readMs, resubscribeMs, closing: closing.signal }),
    async truncate(stream, count) {
      checkedStreamName(stream)
      try {
        // The server hides earlier events immediately; its next scavenge frees their space.
        await client.setStreamMetadata(stream, { maxCount: Math.max(1, count) }, { deadline: appendMs })
      } catch (error) {
        throw readError(error)
      }
    },
    async close() {
      closing.abort()
      await close()
    },
  }
}

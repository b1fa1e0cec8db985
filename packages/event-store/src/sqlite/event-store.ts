import { setImmediate } from 'node:timers/promises'
import { type Clock, isoTime } from '@assay/service-kit'
import { type Database, numberIn } from '@assay/sqlite'
import { checkedStreamName, encodeEvents } from '../limits.ts'
import type {
  Appended,
  EventStore,
  ExpectedRevision,
  LogFilter,
  LogSlice,
  NewEvent,
  Position,
  StreamSlice,
} from '../port.ts'
import { createAppendRows } from './append.ts'
import { positionText, rowidOf } from './positions.ts'
import { eventColumns, recordedEvent } from './recorded-event.ts'
import { createEventTables } from './schema.ts'
import { createWake, type Wake } from './wake.ts'

/** Number of events of one stream that are read before the event loop continues. */
const streamPage = 1000
const defaultLogPage = 500
/** Number of log rows that a filtered read scans per step: about 10 ms. */
const scannedRows = 20_000
/**
 * Maximum time that a subscription lets a burst of writes go first. It then reads many events at once, instead of a few
 * after each commit.
 */
const burstMilliseconds = 100
/** How often a subscription polls for appends of another process. */
const pollMilliseconds = 250

export interface SqliteEventStore extends EventStore {
  /**
   * Checks and encodes immediately. The returned function appends, and must be called within `database.write` or
   * `database.transaction`, so that events, documents and checkpoints share one transaction.
   */
  prepareAppend(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): () => Appended
  /** Appends within the open transaction. Throws the errors of `append`. */
  appendNow(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Appended
}

/**
 * The log in one SQLite file. `close` ends the subscriptions; the database belongs to the caller. `wake`: shared by the
 * stores of one process that use the same file through several connections.
 */
export function createSqliteEventStore(options: { database: Database; clock: Clock; wake?: Wake }): SqliteEventStore {
  const { database, clock } = options
  const wake = options.wake ?? createWake()
  createEventTables(database)
  const appendRows = createAppendRows(database)
  const closing = new AbortController()

  const pageOfStream = database.prepare(
    `SELECT ${eventColumns} FROM event WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`,
  )
  const head = database.prepare('SELECT revision FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1')
  const end = database.prepare('SELECT coalesce(max(position), 0) AS position FROM event')
  const superseded = database.prepare(
    'DELETE FROM event WHERE stream = ? AND revision <= (SELECT max(revision) FROM event WHERE stream = ?) - ?',
  )
  const pageOfLog = database.prepare(`SELECT ${eventColumns} FROM event WHERE position > ? ORDER BY position LIMIT ?`)
  const filteredPage = database.prepare(
    `SELECT ${eventColumns} FROM event WHERE position > ? AND position <= ?
     AND category IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT ?`,
  )

  function prepareAppend(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): () => Appended {
    const { category } = checkedStreamName(stream)
    const encoded = encodeEvents(events)
    return () => {
      const appended = appendRows({ stream, category, events: encoded, expected, recordedAt: isoTime(clock.now()) })
      database.afterCommit(wake.notify)
      return appended
    }
  }

  async function read(stream: string, range: { from?: number; limit?: number } = {}): Promise<StreamSlice> {
    checkedStreamName(stream)
    const most = range.limit ?? Number.POSITIVE_INFINITY
    const firstSize = Math.min(streamPage, most)
    const page = (from: number, size: number) => pageOfStream.all(stream, from, size).map(recordedEvent)
    const events = page(Math.max(range.from ?? 0, 0), firstSize)
    const end = events.at(-1)
    // A page that is not full ends with the last event of the stream, so most reads need no second statement.
    if (end !== undefined && events.length < firstSize) return { events, revision: end.revision }
    const headRow = head.get(stream)
    const revision = headRow === undefined ? -1 : numberIn(headRow, 'revision')
    for (let last = end; last !== undefined && last.revision < revision && events.length < most; ) {
      await setImmediate()
      const size = Math.min(streamPage, most - events.length, revision - last.revision)
      const next = page(last.revision + 1, size)
      events.push(...next)
      last = next.at(-1)
    }
    return { events, revision }
  }

  function readLog(after: Position | undefined, limit: number, categories: LogFilter['categories']): LogSlice {
    const from = rowidOf(after)
    const last = numberIn(end.get() ?? {}, 'position')
    const scanTo = categories === undefined ? last : Math.min(last, from + scannedRows)
    const rows =
      categories === undefined
        ? pageOfLog.all(from, limit)
        : filteredPage.all(from, scanTo, JSON.stringify(categories), limit)
    const events = rows.map(recordedEvent)
    const full = events.length === limit ? events.at(-1)?.position : undefined
    const position = full ?? positionText(Math.max(scanTo, from))
    return { events, position, atEnd: rowidOf(position) >= last }
  }

  async function* subscribe(
    options: LogFilter & { after?: Position | undefined; signal: AbortSignal },
  ): AsyncGenerator<LogSlice> {
    const signal = AbortSignal.any([options.signal, closing.signal])
    let after = options.after
    for (let first = true; !signal.aborted; first = false) {
      const slice = readLog(after, defaultLogPage, options.categories)
      // The code does not yield between this check and the start of the wait, so no append can happen in between.
      const idle = slice.atEnd && slice.events.length === 0 && !first && slice.position === after
      if (idle) {
        await wake.wait(pollMilliseconds, signal)
        await database.quiet(burstMilliseconds)
        continue
      }
      after = slice.position
      yield slice
      // A long catch-up yields to the event loop between pages.
      if (!slice.atEnd) await setImmediate()
      else await database.quiet(burstMilliseconds)
    }
  }

  return {
    prepareAppend,
    appendNow: (stream, events, expected) => prepareAppend(stream, events, expected)(),
    async append(stream, events, expected) {
      return database.write(prepareAppend(stream, events, expected))
    },
    read,
    async readAll(options = {}) {
      return readLog(options.after, options.limit ?? defaultLogPage, options.categories)
    },
    subscribe,
    async truncate(stream, count) {
      checkedStreamName(stream)
      // The last event stays, so its position is never reused.
      await database.write(() => superseded.run(stream, stream, Math.max(1, count)))
    },
    async close() {
      closing.abort()
    },
  }
}

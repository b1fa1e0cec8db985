import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import {
  ANY,
  type AppendExpectedRevision,
  type AppendResult,
  type EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
} from '@eventstore/db-client'
import { checkedStreamName, encodeEvents } from '../limits.ts'
import type { Appended, ExpectedRevision, NewEvent, Position } from '../port.ts'
import { appendError, conflict, troubleOf, unknownOutcome } from './errors.ts'
import { knownPosition, positionText } from './positions.ts'
import type { StreamReader } from './read.ts'

/** A constant abort reason, because a new error with a stack for each append would be slow. */
const wasAnswered = new Error('It was answered.')

const overtakenPauseMs = 20

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function expectedRevision(expected: ExpectedRevision): AppendExpectedRevision {
  switch (expected) {
    case 'none':
      return NO_STREAM
    case 'exists':
      return STREAM_EXISTS
    case 'any':
      return ANY
    default:
      if (Number.isSafeInteger(expected) && expected >= 0) return BigInt(expected)
      throw new AssayError(
        'invalid',
        'An expected revision is a whole number from 0. Use "none" if the stream must not exist.',
      )
  }
}

function check(stream: string, events: readonly NewEvent[]): void {
  checkedStreamName(stream)
  encodeEvents(events)
  if (stream.startsWith('$')) {
    throw new AssayError('invalid', 'Names that begin with $ are reserved by the event store. Choose another.')
  }
  if (events.some((event) => !uuid.test(event.id))) {
    throw new AssayError('invalid', 'The id of an event must be a UUID in lower case.')
  }
}

/** Throws the errors of `EventStore.append`. */
export function createAppend(
  client: EventStoreDBClient,
  reader: StreamReader,
  deadlineMs: number,
  timers: Timers,
): (stream: string, events: readonly NewEvent[], expected: ExpectedRevision) => Promise<Appended> {
  /**
   * If the same append is already in progress (from a broken connection, or in another process), the server aborts this
   * one. Repeat it with the same ids: it succeeds once the first one is replicated.
   */
  async function whileOvertaken(sending: () => Promise<AppendResult>, end: AbortSignal): Promise<AppendResult> {
    for (;;) {
      try {
        return await sending()
      } catch (error) {
        if (end.aborted || troubleOf(error) !== 'overtaken') throw error
        await timers.sleep(overtakenPauseMs, end)
      }
    }
  }

  async function send(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    revision: AppendExpectedRevision,
  ): Promise<AppendResult> {
    const answered = new AbortController()
    // The client's own deadline begins only once it has found a node, which can take forever if nodes hang.
    const late = timers.sleep(2 * deadlineMs, answered.signal).then(() => undefined)
    try {
      const sent = events.map(({ id, type, data, metadata }) => jsonEvent({ id, type, data, metadata }))
      const again = () => client.appendToStream(stream, sent, { expectedRevision: revision, deadline: deadlineMs })
      const result = await Promise.race([whileOvertaken(again, answered.signal), late])
      if (result === undefined) throw unknownOutcome(undefined)
      return result
    } catch (error) {
      throw appendError(stream, expected, error)
    } finally {
      answered.abort(wasAnswered)
    }
  }

  /**
   * The server answers with the position of one event. For a batch it may be the position of another record of the same
   * write, and a repeated append may have none. In both cases the position is read from the event itself.
   */
  async function lastPosition(stream: string, revision: number, answered: Position | undefined): Promise<Position> {
    if (answered !== undefined) return answered
    try {
      const event = await reader.at(stream, revision)
      if (event !== undefined) return event.position
    } catch (error) {
      // The append has succeeded, but the read's error would suggest that it failed.
      throw unknownOutcome(error)
    }
    throw unknownOutcome(undefined)
  }

  return async (stream, events, expected) => {
    const wanted = expectedRevision(expected)
    check(stream, events)
    const result = await send(stream, events, expected, wanted)
    if (!result.success) throw conflict(stream, expected)
    const revision = Number(result.nextExpectedRevision)
    const answered = events.length === 1 ? knownPosition(result.position) : undefined
    return { revision, position: await lastPosition(stream, revision, answered && positionText(answered)) }
  }
}

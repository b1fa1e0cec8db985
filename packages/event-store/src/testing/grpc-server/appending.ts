import { setTimeout as delay } from 'node:timers/promises'
import { isAssayError } from '@assay/service-kit/errors'
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type handleClientStreamingCall, Metadata, type ServiceError, type sendUnaryData, status } from '@grpc/grpc-js'
import type { EventStore, ExpectedRevision, NewEvent } from '../../port.ts'
import type { Faults } from './faults.ts'
import { appendedMessage, bytesOf, conflictMessage, eventOf, expectedOf, maxCountOf, streamNameOf } from './messages.ts'
import { positionOf } from './records.ts'

/** Prefix of a stream's name for the stream of its settings. */
const settingsOf = '$$'

interface Proposed {
  stream: string
  expected: ExpectedRevision
  events: NewEvent[]
  bytes: number
  /** `$maxCount` in the settings of a stream. */
  maxCount: number | undefined
}

export function failure(code: status, details: string, more: { [key: string]: string } = {}): Partial<ServiceError> {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(more)) metadata.add(key, value)
  return { code, details, metadata }
}

/** Collects the messages of one append. The first message names the stream, each further message has an event. */
function take(into: Proposed, message: AppendReq): void {
  const options = message.getOptions()
  if (options !== undefined) {
    into.stream = streamNameOf(options)
    into.expected = expectedOf(options)
  }
  const proposed = message.getProposedMessage()
  if (proposed === undefined) return
  into.bytes += bytesOf(proposed)
  if (into.stream.startsWith(settingsOf)) {
    into.maxCount = maxCountOf(proposed)
    return
  }
  const event = eventOf(proposed)
  if (event !== undefined) into.events.push(event)
}

/** Real servers take 2 s. */
const overtakenAfterMs = 50

/**
 * The call `Append`. It answers a repeated append without a position, as clusters and KurrentDB do, and aborts an
 * append while an equal one is in progress.
 */
export function createAppending(options: {
  store: EventStore
  faults: Faults
  maxAppendBytes: number
  pause(): Promise<void>
  cut(): void
}): handleClientStreamingCall<AppendReq, AppendResp> {
  const { store, faults, maxAppendBytes, pause, cut } = options

  /** The first id of each append that is not answered yet. */
  const inProgress = new Set<string>()

  async function append({ stream, expected, events, maxCount }: Proposed): Promise<AppendResp> {
    if (stream.startsWith(settingsOf)) {
      // A real server also applies the setting to later events. This one removes superseded events only when it gets
      // the setting.
      if (maxCount !== undefined) await store.truncate?.(stream.slice(settingsOf.length), maxCount)
      return appendedMessage(0, undefined)
    }
    const before = await store.read(stream, { limit: 0 })
    try {
      const { revision, position } = await store.append(stream, events, expected)
      return appendedMessage(revision, revision <= before.revision ? undefined : positionOf(position))
    } catch (error) {
      if (isAssayError(error, 'conflict')) return conflictMessage(expected, before.revision)
      throw error
    }
  }

  async function appendHeld(proposed: Proposed): Promise<AppendResp> {
    const response = await append(proposed)
    await faults.heldAnswers
    return response
  }

  async function answer(proposed: Proposed, send: sendUnaryData<AppendResp>): Promise<void> {
    await pause()
    if (faults.busy) return send(failure(status.UNAVAILABLE, 'Server Is Not Ready'))
    if (proposed.bytes > maxAppendBytes) {
      const more = { exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(maxAppendBytes) }
      return send(failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxAppendBytes} Exceeded.`, more))
    }
    const id = proposed.events[0]?.id
    if (id !== undefined && inProgress.has(id)) {
      await delay(overtakenAfterMs)
      return send(failure(status.ABORTED, 'Operation timed out: Commit phase timeout.'))
    }
    if (id !== undefined) inProgress.add(id)
    const response = await appendHeld(proposed).finally(() => id !== undefined && inProgress.delete(id))
    if (faults.unanswered.count > 0) {
      faults.unanswered.count -= 1
      if (faults.unanswered.by === 'cut') cut()
      return
    }
    send(null, response)
  }

  return (call, send) => {
    const proposed: Proposed = { stream: '', expected: 'any', events: [], bytes: 0, maxCount: undefined }
    call.on('data', (message: AppendReq) => take(proposed, message))
    call.on('error', () => undefined)
    call.on('end', () => {
      answer(proposed, send).catch((error: unknown) => send(failure(status.INTERNAL, String(error))))
    })
  }
}

import { randomUUID } from 'node:crypto'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js'
import type { EventStore } from '../../port.ts'
import { failure } from './appending.ts'
import type { Faults } from './faults.ts'
import {
  allFrom,
  caughtUpMessage,
  checkpointEvery,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  filterOf,
  notFoundMessage,
  streamNameOf,
} from './messages.ts'
import { type LogRecord, recordOf, recordsFrom, storedPosition, withStatistics } from './records.ts'

type Call = ServerWritableStream<ReadReq, ReadResp>

/** The call `Read`: reads a stream or all streams, forwards or backwards, or subscribes to all. */
export function createReading(options: {
  store: EventStore
  faults: Faults
  pause(): Promise<void>
}): handleServerStreamingCall<ReadReq, ReadResp> {
  const { store, faults, pause } = options

  /** False if the caller has left. Waits for a slow caller. */
  async function write(call: Call, message: ReadResp): Promise<boolean> {
    if (call.cancelled) return false
    if (!call.write(message)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          call.off('drain', go)
          call.off('cancelled', go)
          resolve()
        }
        call.on('drain', go)
        call.on('cancelled', go)
      })
    }
    return !call.cancelled
  }

  async function readStream(call: Call, asked: ReadReq.Options): Promise<void> {
    const from = asked.getStream()
    if (from === undefined) return
    const stream = streamNameOf(from)
    const count = Number(asked.getCount())
    const { revision: last } = await store.read(stream, { limit: 0 })
    if (last < 0) {
      await write(call, notFoundMessage(stream))
      return
    }
    const backwards = asked.getReadDirection() === 1
    const start = from.hasEnd() ? last : from.hasStart() ? 0 : Number(from.getRevision())
    const lowest = backwards ? Math.max(start - count + 1, 0) : start
    const highest = backwards ? start : Math.min(start + count - 1, last)
    const { events } = await store.read(stream, { from: lowest, limit: Math.max(highest - lowest + 1, 0) })
    for (const event of backwards ? events.reverse() : events) {
      if (!(await write(call, eventMessage(recordOf(event))))) return
    }
  }

  async function readAll(call: Call, asked: ReadReq.Options): Promise<void> {
    const from = allFrom(asked)
    const wanted = filterOf(asked)
    const count = Number(asked.getCount())
    let given = 0
    if (asked.getReadDirection() === 1) {
      const records: LogRecord[] = []
      for await (const record of recordsFrom(store, undefined)) records.push(record)
      const earlier = records
        .reverse()
        .filter((record) => from === 'end' || from === undefined || record.position < from)
      for (const record of earlier.filter(wanted).slice(0, count)) await write(call, eventMessage(record))
      return
    }
    if (from === 'end') return
    for await (const record of recordsFrom(store, from)) {
      if (given === count) return
      if (!wanted(record)) continue
      given += 1
      if (!(await write(call, eventMessage(record)))) return
    }
  }

  async function subscribe(call: Call, asked: ReadReq.Options): Promise<void> {
    const from = allFrom(asked)
    const wanted = filterOf(asked)
    const every = checkpointEvery(asked)
    const hangUp = new AbortController()
    call.on('cancelled', () => hangUp.abort())
    let reached = from === 'end' || from === undefined ? -1n : from
    let unwanted = 0
    let isCatchingUp = true
    await write(call, confirmationMessage(randomUUID()))
    const after = reached < 64n ? undefined : storedPosition(reached - 64n)
    for await (const slice of store.subscribe({ after, signal: hangUp.signal })) {
      for (const record of withStatistics(slice.events.map(recordOf))) {
        if (record.position <= reached) continue
        reached = record.position
        if (wanted(record)) await write(call, eventMessage(record))
        else if (++unwanted % every === 0) await write(call, checkpointMessage(reached))
      }
      if (!slice.atEnd || !isCatchingUp) continue
      isCatchingUp = false
      if (!faults.reportsCaughtUp) continue
      if (reached >= 0n) await write(call, checkpointMessage(reached))
      await write(call, caughtUpMessage())
    }
  }

  async function answer(call: Call): Promise<void> {
    const asked = call.request.getOptions()
    await pause()
    if (faults.busy) return void call.emit('error', failure(status.UNAVAILABLE, 'Server Is Not Ready'))
    if (asked === undefined) return void call.emit('error', failure(status.INVALID_ARGUMENT, 'No options.'))
    if (asked.hasStream()) await readStream(call, asked)
    else if (asked.hasSubscription()) await subscribe(call, asked)
    else await readAll(call, asked)
    call.end()
  }

  return (call) => {
    // A caller that leaves ends the wait, without an error.
    answer(call).catch((error: unknown) => {
      if (!call.cancelled) call.emit('error', failure(status.INTERNAL, String(error)))
    })
  }
}

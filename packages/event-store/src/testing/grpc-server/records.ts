import { comparePositions, type EventStore, type Position, type RecordedEvent } from '../../port.ts'
import { positionText, rowidOf } from '../../sqlite/positions.ts'

/** A record of the server's log, of Assay or of the server. */
export interface LogRecord {
  id: string
  type: string
  stream: string
  revision: number
  position: bigint
  recordedAt: string
  data: string
  metadata: string
}

/** Positions of a real log are offsets in bytes, so they have gaps. */
const step = 64n
/** The server writes one of its own records after each group of this many events. */
const ownEvery = 10n

export function positionOf(stored: Position): bigint {
  return BigInt(rowidOf(stored)) * step
}

/** The position in the underlying store that corresponds to `position`, or the nearest one before it. */
export function storedPosition(position: bigint): Position {
  return positionText(Number(position / step))
}

export function recordOf(event: RecordedEvent): LogRecord {
  const { id, type, stream, revision, recordedAt } = event
  const position = positionOf(event.position)
  return {
    id,
    type,
    stream,
    revision,
    position,
    recordedAt,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(event.metadata),
  }
}

/** A statistics record, which real servers write constantly. It follows every tenth event. */
function ownRecord(after: LogRecord): LogRecord {
  const number = after.position / step / ownEvery
  return {
    ...after,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    type: '$statsCollected',
    stream: '$stats-127.0.0.1:2113',
    revision: Number(number) - 1,
    position: after.position + step / 2n,
    data: '{"proc-id":1}',
    metadata: '',
  }
}

/** The records, with those that the server itself writes in between. */
export function withStatistics(records: readonly LogRecord[]): LogRecord[] {
  return records.flatMap((record) =>
    (record.position / step) % ownEvery === 0n ? [record, ownRecord(record)] : [record],
  )
}

/** All records at or after `from`, in order, to the end of the log. */
export async function* recordsFrom(store: EventStore, from: bigint | undefined): AsyncGenerator<LogRecord> {
  // Starts one step earlier, because a record of the server follows its event.
  let after = from === undefined || from < step ? undefined : storedPosition(from - step)
  for (;;) {
    const { events, position, atEnd } = await store.readAll({ after, limit: 500 })
    for (const record of withStatistics(events.map(recordOf))) {
      if (from === undefined || record.position >= from) yield record
    }
    if (atEnd) return
    if (after !== undefined && comparePositions(position, after) <= 0) return
    after = position
  }
}

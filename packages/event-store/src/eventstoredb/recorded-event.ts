import { isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { ResolvedEvent } from '@eventstore/db-client'
import { type EventMetadata, type JsonObject, parseStreamName, type RecordedEvent } from '../port.ts'
import { knownPosition, positionText } from './positions.ts'

type Record = NonNullable<ResolvedEvent['event']>
type Read = Pick<ResolvedEvent, 'event'>

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** Whether the metadata is that of an Assay event: an object with tenant and actor. */
function isMetadata(value: unknown): value is EventMetadata {
  return isObject(value) && typeof value.tenant === 'string' && typeof value.actor === 'string'
}

/** The client has parsed the value from JSON, so any object is a JSON object. */
function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}

/** Whether the stream belongs to the server or to another application. */
function isForeign(stream: string): boolean {
  return stream.startsWith('$') || parseStreamName(stream) === undefined
}

/** The text of the event's position. Throws `internal` if the server reports none. */
export function positionOf(record: Record): string {
  const position = knownPosition(record.position)
  if (position !== undefined) return positionText(position)
  throw new AssayError('internal', 'The event store reports no positions. Use EventStoreDB 22.6 or later.')
}

/** The event in the form of the port; `undefined` for events of the server or of another application. */
export function recordedEvent({ event }: Read): RecordedEvent | undefined {
  if (event === undefined || !event.isJson || isForeign(event.streamId)) return undefined
  const data: unknown = event.data
  const metadata: unknown = event.metadata
  if (!isJsonObject(data) || !isMetadata(metadata)) return undefined
  return {
    id: event.id,
    type: event.type,
    data,
    metadata,
    stream: event.streamId,
    revision: Number(event.revision),
    position: positionOf(event),
    recordedAt: isoTime(event.created.getTime()),
  }
}

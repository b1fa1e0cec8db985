import { AssayError } from '@assay/service-kit/errors'
import { type NewEvent, parseStreamName } from './port.ts'

/** Maximum size of an event's data in bytes, as JSON text in UTF-8. */
export const maxEventBytes = 1024 * 1024
/** Maximum size of the data of one append in bytes. */
export const maxBatchBytes = 4 * 1024 * 1024
const maxNameLength = 512

/**
 * The parts of a stream's name. Throws `invalid` if the name has the wrong form, is too long, or cannot be stored
 * exactly.
 */
export function checkedStreamName(stream: string): { tenant: string; category: string; id: string } {
  const parts = parseStreamName(stream)
  if (parts === undefined || stream.length > maxNameLength || !storable(stream)) {
    throw new AssayError(
      'invalid',
      `A stream is named <tenant>/<category>-<id>, in at most ${maxNameLength} characters of well-formed text.`,
    )
  }
  return parts
}

/** Lone surrogates cannot be written as UTF-8, and NUL ends a text in some stores. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** An event with its data as the JSON text that is stored. */
export interface EncodedEvent {
  id: string
  type: string
  data: string
  metadata: string
}

/** Checks ids, types and sizes of a batch and encodes its JSON. Errors: `invalid`, `too-large`. */
export function encodeEvents(events: readonly NewEvent[]): EncodedEvent[] {
  if (events.length === 0) throw new AssayError('invalid', 'An append needs at least one event.')
  let batchBytes = 0
  return events.map((event) => {
    if (event.id === '' || event.type === '' || !storable(event.id) || !storable(event.type)) {
      throw new AssayError('invalid', 'The id and the type of an event must be well-formed text and not be empty.')
    }
    const data = JSON.stringify(event.data)
    const bytes = Buffer.byteLength(data)
    batchBytes += bytes
    if (bytes > maxEventBytes) throw tooLarge('An event', bytes, maxEventBytes)
    if (batchBytes > maxBatchBytes) throw tooLarge('A batch of events', batchBytes, maxBatchBytes)
    return { id: event.id, type: event.type, data, metadata: JSON.stringify(event.metadata) }
  })
}

function tooLarge(what: string, bytes: number, limit: number): AssayError {
  return new AssayError(
    'too-large',
    `${what} can hold at most ${limit} bytes. Store large values outside of the log.`,
    {
      details: { bytes, limit },
    },
  )
}

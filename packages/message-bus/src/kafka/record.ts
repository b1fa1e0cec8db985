import { AssayError } from '@assay/service-kit/errors'
import type { IHeaders, KafkaMessage, Message as OutgoingRecord } from 'kafkajs'
import { z } from 'zod'
import { encodedMessage } from '../message.ts'
import type { Message } from '../port.ts'

/** The maximum batch size of Assay's topics. A message contains the state before and after an event of up to 1 MiB. */
export const maxMessageBytes = 8 * 1024 * 1024
/** Maximum size of a message's body, which leaves room for headers. */
export const maxBodyBytes = maxMessageBytes - 100_000

const head = z.object({
  id: z.string().min(1),
  type: z.string(),
  tenant: z.string(),
  time: z.string(),
  position: z.string(),
  traceparent: z.string().optional(),
  tracestate: z.string().optional(),
  /** Whether the message's data is the whole event, or only its `data`. */
  carries: z.enum(['event', 'data']),
})

function isEventOf(message: Message): boolean {
  const { data } = message
  return (
    typeof data === 'object' &&
    data !== null &&
    'specversion' in data &&
    data.specversion === '1.0' &&
    'id' in data &&
    data.id === message.id
  )
}

/**
 * The message as a CloudEvent 1.0 in structured JSON. The headers contain the fields that a reader needs without the
 * body. If the data is already such an event with the message's id, it is sent unchanged. Throws `invalid` and
 * `too-large`.
 */
export function encodedRecord(source: string, message: Message): OutgoingRecord & { value: Buffer } {
  // Refuses the same messages as the embedded bus does.
  encodedMessage(message)
  const { key, data, ...attributes } = message
  const whole = isEventOf(message)
  const event = whole
    ? data
    : { specversion: '1.0', source, subject: key, datacontenttype: 'application/json', ...attributes, data }
  const value = Buffer.from(JSON.stringify(event))
  if (value.length > maxBodyBytes)
    throw new AssayError(
      'too-large',
      `A message of ${value.length} bytes is too large. The maximum is ${maxBodyBytes}.`,
    )
  const { traceparent, tracestate, ...texts } = attributes
  return {
    key: Buffer.from(key),
    value,
    headers: {
      'content-type': 'application/cloudevents+json; charset=UTF-8',
      ...texts,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(tracestate === undefined ? {} : { tracestate }),
      carries: whole ? 'event' : 'data',
    },
  }
}

/** The text of a header. If the header is repeated, the first one counts. */
export function headerText(headers: IHeaders | undefined, name: string): string | undefined {
  const all = headers?.[name]
  if (all === undefined) return undefined
  const value: Buffer | string | null | undefined = Array.isArray(all) ? all[0] : all
  // The driver reads an empty header as null, despite its types.
  return value?.toString() ?? ''
}

/** The headers as text. If a header is repeated, the first one counts. */
export function textsOf(headers: IHeaders | undefined): Record<string, string> {
  return Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, headerText(headers, name) ?? '']))
}

/** The message in a record of `encodedRecord`; `undefined` for anything else. */
export function decodedRecord(key: string, value: Buffer | null, headers: IHeaders | undefined): Message | undefined {
  const parsed = head.safeParse(textsOf(headers))
  if (!parsed.success || value === null) return undefined
  try {
    const body: unknown = JSON.parse(value.toString())
    const { carries, ...rest } = parsed.data
    if (carries === 'event') return { ...rest, key, data: body }
    if (typeof body !== 'object' || body === null) return undefined
    return { ...rest, key, data: 'data' in body ? body.data : undefined }
  } catch {
    return undefined
  }
}

/** A record as a message without data. A record that is not a message gets the type `unreadable`. */
export function messageOfRecord(
  { topic, partition, offset }: { topic: string; partition: number; offset: number },
  { key, message }: { key: string; message: Message | undefined },
): Omit<Message, 'data'> {
  if (message === undefined)
    return { id: `${topic}/${partition}/${offset}`, key, type: 'unreadable', tenant: '', time: '', position: '' }
  const { id, type, tenant, time, position } = message
  return { id, key, type, tenant, time, position }
}

/** The id of a record, without reading its body. */
export const idOf = (record: KafkaMessage): string | undefined => headerText(record.headers, 'id')

export const keyOf = (record: KafkaMessage): string => record.key?.toString() ?? ''

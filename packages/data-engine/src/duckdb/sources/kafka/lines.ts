import type { KafkaMessage } from 'kafkajs'

const newline = 0x0a
const carriageReturn = 0x0d
const blank = 0x20

/** Why the value of a message is not a row. */
const notAnObject = 'its value is not a JSON object, so it is not a row'

/**
 * The value of a message as one line of NDJSON, or why it is not a row. `null` for a message without a value, which marks
 * a deletion.
 */
export function lineOf({ value }: Pick<KafkaMessage, 'value'>): Buffer | { problem: string } | null {
  if (value === null) return null
  try {
    const parsed: unknown = JSON.parse(value.toString())
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { problem: notAnObject }
  } catch {
    return { problem: notAnObject }
  }
  const line = Buffer.alloc(value.length + 1, newline)
  // JSON has line breaks between values only; in texts they are escaped.
  value.forEach((byte, index) => {
    line[index] = byte === newline || byte === carriageReturn ? blank : byte
  })
  return line
}

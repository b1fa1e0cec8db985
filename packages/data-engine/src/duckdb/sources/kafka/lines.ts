import { isUtf8 } from 'node:buffer'
import type { KafkaMessage } from 'kafkajs'

const newline = 0x0a
const carriageReturn = 0x0d
const blank = 0x20

/** Maximum depth. Deeper values crash the JSON reader of the engine. */
const maxDepth = 1000

const notAnObject = 'its value is not a JSON object, so it is not a row'
const notText = 'its value has a text or a name that is not valid Unicode, so it is not a row'
const tooDeep = `its value is nested deeper than ${maxDepth} levels, so it is not a row`

/**
 * The value of a message as one line of NDJSON, or the reason why it is not a row. `null` for a message without a
 * value, which marks a deletion. A message stays in its topic. So a message that the engine cannot read must not make
 * the others unreadable.
 */
export function lineOf({ value }: Pick<KafkaMessage, 'value'>): Buffer | { problem: string } | null {
  if (value === null) return null
  if (!isUtf8(value)) return { problem: notText }
  const text = value.toString()
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { problem: notAnObject }
    const problem = isSuspicious(text) ? problemIn(parsed) : undefined
    if (problem !== undefined) return { problem }
  } catch {
    return { problem: notAnObject }
  }
  const line = Buffer.alloc(value.length + 1, newline)
  // JSON has line breaks only between values; in texts they are escaped.
  value.forEach((byte, index) => {
    line[index] = byte === newline || byte === carriageReturn ? blank : byte
  })
  return line
}

/** In valid UTF-8, only escapes can be invalid. */
function isSuspicious(text: string): boolean {
  if (text.includes('\\u')) return true
  let opened = 0
  for (let index = 0; index < text.length && opened <= maxDepth; index += 1)
    if (text[index] === '{' || text[index] === '[') opened += 1
  return opened > maxDepth
}

/** Whether the engine's JSON reader refuses a value that `JSON.parse` accepts. */
function problemIn(value: object): string | undefined {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return tooDeep
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one === 'string' && !one.isWellFormed()) return notText
      if (typeof one !== 'object' || one === null) continue
      for (const [name, child] of Object.entries(one)) {
        if (!name.isWellFormed() || name.includes('\0')) return notText
        next.push(child)
      }
    }
    level = next
  }
  return undefined
}

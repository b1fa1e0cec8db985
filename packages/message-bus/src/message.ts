import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Message } from './port.ts'

const messageSchema = z.object({
  id: z.string().min(1),
  key: z.string(),
  type: z.string(),
  tenant: z.string(),
  time: z.string(),
  position: z.string(),
  data: z.unknown(),
  traceparent: z.string().optional(),
  tracestate: z.string().optional(),
})

/** The message as JSON text. Throws `invalid` if it has no id or a field of the wrong type. */
export function encodedMessage(message: Message): string {
  const parsed = messageSchema.safeParse(message)
  if (parsed.success) return JSON.stringify(parsed.data)
  const path = parsed.error.issues[0]?.path.join('.') || 'message'
  throw new AssayError('invalid', `A message cannot be published: its ${path} is missing or wrong.`, {
    cause: parsed.error,
  })
}

/** Parses a text of `encodedMessage`. The text may be of another version. Throws `internal` for anything else. */
export function decodedMessage(text: string): Message {
  try {
    const { data, ...rest } = messageSchema.parse(JSON.parse(text))
    return { ...rest, data }
  } catch (error) {
    throw new AssayError('internal', 'A record on the bus is not a message, so it cannot be read.', {
      cause: error,
    })
  }
}

import type { KeptEvent } from './collection.ts'

/** A frame holds about this many bytes, or one event that is larger. A reader that is cut off gets whole frames. */
const frameBytes = 65_536

/** Some events as text. */
export interface Frame {
  bytes: Buffer
  /** When the first of them was kept, in epoch milliseconds. */
  storedAt: number
}

/** Which events a stream shows. Streams with the same key show the same ones. */
export interface Audience {
  key: string
  /** Like `key`, for events that only their owners may see. */
  ownKey: string
  isShown(event: KeptEvent): boolean
}

/** Events are never changed, so each is made into text once, whoever gets it. */
const texts = new WeakMap<KeptEvent, string>()

/**
 * An event in the format of server-sent events (WHATWG HTML, 9.2), without the key of its actor, which other users must not
 * see. JSON has no line breaks.
 */
export function eventText(kept: KeptEvent): string {
  const known = texts.get(kept)
  if (known !== undefined) return known
  const { eventId, type, event } = kept
  const { accesskey: _, ...shown } = event
  const text = `id: ${eventId}\nevent: ${type}\ndata: ${JSON.stringify(shown)}\n\n`
  texts.set(kept, text)
  return text
}

/** The text of the events that are shown, in order. */
export function framesOf(events: readonly KeptEvent[], isShown: Audience['isShown']): Frame[] {
  const frames: Frame[] = []
  let text = ''
  let storedAt = 0
  const end = () => {
    if (text !== '') frames.push({ bytes: Buffer.from(text), storedAt })
    text = ''
  }
  for (const event of events) {
    if (!isShown(event)) continue
    const next = eventText(event)
    if (text.length + next.length > frameBytes) end()
    if (text === '') storedAt = event.storedAt
    text += next
  }
  end()
  return frames
}

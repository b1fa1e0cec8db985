import { parseStreamName } from './port.ts'

/** The state of one stream. */
export interface StreamState {
  category: string
  id: string
  revision: number
}

/** Names a state in the header of an answer: `tag-12@3`. Without the tenant, which only the key decides. Pure. */
export function stateText(category: string, id: string | number, revision: number): string {
  return `${category}-${encodeURIComponent(id)}@${revision}`
}

/** Names the state of a stream. `undefined` if the name of the stream has another form. Pure. */
export function streamStateText(stream: string, revision: number): string | undefined {
  const parts = parseStreamName(stream)
  return parts && stateText(parts.category, parts.id, revision)
}

/** Parses `tag-12@3`; `undefined` for other texts, which a client may have made up. Pure. */
export function parseState(text: string): StreamState | undefined {
  const match = /^([^-@]+)-([^@]+)@(\d{1,15})$/.exec(text)
  if (match === null) return undefined
  try {
    return { category: match[1] ?? '', id: decodeURIComponent(match[2] ?? ''), revision: Number(match[3]) }
  } catch {
    return undefined
  }
}

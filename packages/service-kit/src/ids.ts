import { hash } from 'node:crypto'
import { parse } from 'uuid'

/** The namespace of derived ids. It must never change, because the same parts must always give the same id. */
const namespace = Buffer.from(parse('5d0b1c5e-3f0f-5a5e-9a53-0c6f6d0f7a11'))
const namespaceBytes = namespace.length

/**
 * A UUID (version 5, RFC 9562) derived only from its parts, so that a repeated effect has the same id. `v5` of the
 * package uuid takes several times as long, and each notification has about five derived ids.
 */
export function uuidV5(...parts: readonly string[]): string {
  // Length prefixes keep ('ab', 'c') and ('a', 'bc') apart.
  const name = parts.map((part) => `${part.length}:${part}`).join('')
  const bytes = Buffer.allocUnsafe(namespaceBytes + Buffer.byteLength(name))
  namespace.copy(bytes)
  bytes.write(name, namespaceBytes)
  const hex = hash('sha1', bytes)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

import { parse, v5 } from 'uuid'

/** The namespace of derived ids. It must never change, because the same parts must always give the same id. */
const namespace = parse('5d0b1c5e-3f0f-5a5e-9a53-0c6f6d0f7a11')

/** A UUID (version 5) derived only from its parts, so that a repeated effect has the same id. */
export function uuidV5(...parts: readonly string[]): string {
  // Length prefixes keep ('ab', 'c') and ('a', 'bc') apart.
  const name = parts.map((part) => `${part.length}:${part}`).join('')
  // As bytes: the library would spend more time on converting text and namespace than on the hash.
  return v5(Buffer.from(name), namespace)
}

import { v5 } from 'uuid'

/** The namespace of ids that Assay derives. Never changes: ids made of the same parts must stay the same. */
const namespace = '5d0b1c5e-3f0f-5a5e-9a53-0c6f6d0f7a11'

/** An id (UUID version 5) made of its parts alone, so that doing a thing twice gives the same id. */
export function uuidV5(...parts: readonly string[]): string {
  // Lengths stand before the parts, so that ('ab', 'c') and ('a', 'bc') differ.
  return v5(parts.map((part) => `${part.length}:${part}`).join(''), namespace)
}

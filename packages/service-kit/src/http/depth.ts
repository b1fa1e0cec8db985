import { AssayError } from '../errors.ts'

/** Maximum nesting. It is deeper than any record of the API, but far from a stack overflow. */
const maxDepth = 200

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = ['"', '\\', '[', ']', '{', '}'].map(
  (each) => each.charCodeAt(0),
)

/** Throws `invalid` for JSON nested more than 200 levels deep. One pass over the bytes. */
export function assertShallow(bytes: Uint8Array): void {
  let depth = 0
  let inText = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (inText) {
      if (byte === backslash) index += 1
      else if (byte === quote) inText = false
    } else if (byte === quote) inText = true
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth > maxDepth) throw new AssayError('invalid', `The body is nested more than ${maxDepth} levels deep.`)
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
  }
}

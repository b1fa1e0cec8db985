import { AssayError } from '../errors.ts'

/**
 * What a number too large for the engine looks like, such as `1e400`, or many digits, perhaps with a small exponent. It may
 * also be within a text.
 */
const suspicion = /\de\+?0*[1-9]\d{2}|(?<!\d)\d{210}/i

/**
 * Throws `invalid` for JSON with a number beyond 1.8e308. It would be read as infinity, which no answer and no event could
 * hold. Bodies without a suspicion are not parsed for this.
 */
export function assertFinite(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes)
  if (!suspicion.test(text)) return
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
        throw new AssayError('invalid', `${name || 'The body'}: a number must be at most 1.7976931348623157e308.`)
      return value
    })
  } catch (error) {
    // The parser reports what is no JSON.
    if (!(error instanceof SyntaxError)) throw error
  }
}

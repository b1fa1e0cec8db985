/** The form in which `contains` compares: canonical composition, lower case, one small sigma. Not for display. */
export function foldedCase(text: string): string {
  return text.toWellFormed().normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

const lastCodePoint = 0x10ffff
const beforeSurrogates = 0xd7ff
const afterSurrogates = 0xe000

/**
 * The least text, in code point order, that is greater than every text that starts with `prefix`; `undefined` when there
 * is none. `prefix` is text without lone surrogates.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? lastCodePoint
    if (point === lastCodePoint) continue
    const next = point === beforeSurrogates ? afterSurrogates : point + 1
    return points.join('') + String.fromCodePoint(next)
  }
  return undefined
}

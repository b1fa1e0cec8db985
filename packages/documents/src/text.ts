/**
 * Lower-case letters that full case folding replaces by others: long s, micro sign, Latin and Armenian ligatures; also
 * ß.
 */
const compatible = /[\u017f\u1e9b\u00b5\ufb00-\ufb06\ufb13-\ufb17]/g

/** Combining marks (accents, umlauts, tildes, dots), with their letter if it is Cyrillic. */
const marks = /(\p{Script=Cyrillic}?)([\u0300-\u036f]+)/gu
const stress = /[\u0300\u0301]/g
const diaeresis = /\u0308/g

/**
 * The marks of a letter that remain after folding. On Latin and Greek letters, marks are accents, so none remain. On
 * Cyrillic letters, marks make other letters (й is not и, ї not і, ў not у, ѓ not г), so they remain. Exceptions are
 * the stress on a vowel, and ё, which people write as е. Marks of other scripts (dakuten, vowel signs) do not match
 * `marks` and remain.
 */
function keptMarks(letter: string, marks: string): string {
  if (letter === '') return ''
  const unstressed = letter === 'г' || letter === 'к' ? marks : marks.replace(stress, '')
  return letter === 'е' ? unstressed.replace(diaeresis, '') : unstressed
}

/**
 * Like `foldedCase`, but keeps the marks. Used to rank the searched spelling before others. Converts to lower case,
 * with one form of sigma and `ss` for ß (following Unicode's CaseFolding.txt for letters in common use), composed.
 */
export function foldedSpelling(text: string): string {
  const lower = text.toWellFormed().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss')
  // Composes last, because some letters have a composed form only in lower case.
  return lower.replace(compatible, (letter) => letter.normalize('NFKD')).normalize('NFC')
}

/**
 * The form in which `contains` and the search of names compare text: case folded and without accents, so that `cafe`
 * finds `Café`. Not for display. This form is stored, so searched collections need new versions after a change.
 */
export function foldedCase(text: string): string {
  // Most names end here.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  const spelled = foldedSpelling(text)
  const folded = (_: string, letter: string, run: string) => letter + keptMarks(letter, run)
  return spelled.normalize('NFD').replace(marks, folded).normalize('NFC')
}

const lastCodePoint = 0x10ffff
const beforeSurrogates = 0xd7ff
const afterSurrogates = 0xe000

/**
 * The least text, in code point order, that is greater than every text that begins with `prefix`; `undefined` if there
 * is none. `prefix` must not contain lone surrogates.
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

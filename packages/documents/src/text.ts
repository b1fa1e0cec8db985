/** Small letters that full case folding takes for others: long s, micro sign, Latin and Armenian ligatures; ß besides. */
const compatible = /[\u017f\u1e9b\u00b5\ufb00-\ufb06\ufb13-\ufb17]/g

/** Marks that stand on letters, with the letter where it is a Cyrillic one: accents, umlauts, tildes, dots. */
const marks = /(\p{Script=Cyrillic}?)([\u0300-\u036f]+)/gu
const stress = /[\u0300\u0301]/g
const diaeresis = /\u0308/g

/**
 * What is left of the marks on a letter. On one of Latin or Greek they are accents: nothing. On a Cyrillic one they make
 * another letter (й is not и, ї not і, ў not у, ѓ not г), but for the stress on a vowel and for ё, which people write
 * as е. Those of other scripts (dakuten, vowel signs) are none of these marks: they stay.
 */
function keptMarks(letter: string, marks: string): string {
  if (letter === '') return ''
  const unstressed = letter === 'г' || letter === 'к' ? marks : marks.replace(stress, '')
  return letter === 'е' ? unstressed.replace(diaeresis, '') : unstressed
}

/**
 * As `foldedCase`, but for the marks on letters, which stay: what tells the spelling that was asked for from others that are
 * found, too. Lower case, one small sigma, `ss` for ß (as CaseFolding.txt of Unicode has it, of the letters that people
 * write), composed.
 */
export function foldedSpelling(text: string): string {
  const lower = text.toWellFormed().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss')
  // Last, as some letters are composed only when they are small.
  return lower.replace(compatible, (letter) => letter.normalize('NFKD')).normalize('NFC')
}

/**
 * The form in which `contains` and the search of names compare: in one case, without accents, so that `cafe` finds `Café`.
 * Not for display. It is stored: a change of what it says takes new versions of the collections that are searched.
 */
export function foldedCase(text: string): string {
  const spelled = foldedSpelling(text)
  // Letters of ASCII have no marks: most names are done here.
  if (/^[\0-\x7f]*$/.test(spelled)) return spelled
  const folded = (_: string, letter: string, run: string) => letter + keptMarks(letter, run)
  return spelled.normalize('NFD').replace(marks, folded).normalize('NFC')
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

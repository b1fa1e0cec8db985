import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedCase, foldedSpelling, prefixEnd } from './text.ts'

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('prefixEnd', () => {
  it('given any prefix and rest, when compared by code points, then the end is greater than all texts with the prefix', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        const end = prefixEnd(prefix)
        return end === undefined || byCodePoints(prefix + rest, end) < 0
      }),
    )
  })

  it('given any two texts, when one lies between a prefix and its end, then it starts with the prefix', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\u{10ffff}', '😀'), maxLength: 4 })
    fc.assert(
      fc.property(text, text, (prefix, other) => {
        const end = prefixEnd(prefix)
        const within = byCodePoints(other, prefix) >= 0 && (end === undefined || byCodePoints(other, end) < 0)
        return within === other.startsWith(prefix)
      }),
    )
  })
})

describe('foldedCase', () => {
  it('given texts that differ in case, composition or final sigma, when folded, then they are equal', () => {
    expect(foldedCase('CAFE\u0301')).toBe(foldedCase('café'))
    expect(foldedCase('ΟΔΟΣ')).toBe(foldedCase('οδοσ'))
  })

  it.each([
    ['GRÖSSE', 'Größe'],
    ['STRASSE', 'Straße'],
    ['STRAẞE', 'strasse'],
    ['OFFICE', 'oﬃce'],
    ['ﬆadt', 'STADT'],
    ['Uſer', 'user'],
    ['µm', 'μM'],
    ['SS\u0301', 'ß\u0301'],
    ['unicode', 'Ünïcode'],
    ['cafe', 'CAFE\u0301'],
    ['istanbul', 'İstanbul'],
    ['елка', 'Ёлка'],
    ['замок', 'за\u0301мок'],
    ['tiếng việt', 'Tieng Viet'],
    ['αθήνα', 'ΑΘΗΝΑ'],
    ['МАЙ', 'маи\u0306'],
  ])('given %s and %s, when folded, then they are equal', (one, other) => {
    expect(foldedCase(one)).toBe(foldedCase(other))
  })

  it('given any text, when folded, then folding the result, or its capitals, changes nothing', () => {
    const letters = fc.constantFrom(
      'a',
      'ß',
      'ẞ',
      'S',
      'ſ',
      'ﬃ',
      'ﬅ',
      'ﬓ',
      'µ',
      'Σ',
      'ς',
      'Ö',
      '\u0301',
      '\u0308',
      '\u0306',
      'Й',
      'и',
      'Ё',
      'ѓ',
      '_',
      '1',
    )
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 8 }), (text) => {
        const folded = foldedCase(text)
        expect(foldedCase(folded)).toBe(folded)
        expect(foldedCase(text.toUpperCase())).toBe(folded)
      }),
    )
  })

  it('given other letters, then folding keeps them', () => {
    expect(foldedCase('²')).toBe('²')
    expect(foldedCase('ø')).toBe('ø')
  })

  it.each([
    ['мой', 'мои'],
    ['їжак', 'іжак'],
    ['ўсё', 'усё'],
    ['ѓ', 'г'],
    ['ќ', 'к'],
    ['ӣ', 'и'],
    ['が', 'か'],
    ['パ', 'ハ'],
    ['한', '하'],
    ['कि', 'क'],
    ['กี', 'ก'],
  ])('given %s and %s, whose marks make another letter, then they stay different', (one, other) => {
    expect(foldedCase(one)).not.toBe(foldedCase(other))
    expect(foldedCase(one)).toBe(one.normalize('NFC').replace('ё', 'е'))
  })

  it('given a spelling with accents, then it differs from one without, in any case', () => {
    expect(foldedSpelling('Ö')).toBe(foldedSpelling('O\u0308'))
    expect(foldedSpelling('Ö')).not.toBe(foldedSpelling('O'))
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedCase, prefixEnd } from './text.ts'

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('prefixEnd', () => {
  it('given any prefix and rest, when compared by code points, then the end is beyond all texts with the prefix', () => {
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
})

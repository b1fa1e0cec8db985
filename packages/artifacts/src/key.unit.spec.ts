import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkedKey, checkedPrefix } from './key.ts'
import { invalidKeys } from './testing/index.ts'

const segment = fc.stringMatching(/^[A-Za-z0-9._=-]{1,20}$/).filter((text) => !['.', '..', '.staging'].includes(text))

describe('keys', () => {
  it('given segments of allowed characters, when joined, then the result is a valid key', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 2, maxLength: 6 }), (segments) => {
        expect(checkedKey(segments.join('/'))).toEqual(segments)
      }),
    )
  })

  it('given any text, when it is accepted as a key, then no segment leads outside of the root', () => {
    const signs = fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '%', '\0', '~', ' ', '-'), maxLength: 12 })
    fc.assert(
      fc.property(signs, (text) => {
        let segments: string[] = []
        try {
          segments = checkedKey(text)
        } catch {
          return
        }
        expect(segments.join('/')).toBe(text)
        expect(segments.every((part) => /^[.a-]+$/.test(part) && part !== '.' && part !== '..')).toBe(true)
      }),
    )
  })

  it('given invalid keys, when checked, then all are refused', () => {
    for (const key of invalidKeys) expect(() => checkedKey(key), key).toThrow('The key of an artifact')
    expect(() => checkedKey('tenant')).toThrow('The key of an artifact')
    expect(checkedPrefix('tenant')).toEqual(['tenant'])
  })
})

import { describe, expect, test } from 'vitest'
import { createSealer } from './sealing.ts'

const [old, current] = ['the old key of the installation', 'the new key of the installation']

describe('a sealer', () => {
  test('given a sealed text, when opened by its owner, then it is the text; sealed again, it looks different', () => {
    const sealer = createSealer([current])
    const sealed = sealer.seal('pässword', 'sales')
    expect(sealer.open(sealed, 'sales')).toBe('pässword')
    expect(sealed).not.toContain('pässword')
    expect(sealer.seal('pässword', 'sales')).not.toBe(sealed)
  })

  test.each([
    ['another owner', (sealed: string) => () => createSealer([current]).open(sealed, 'other')],
    ['another key', (sealed: string) => () => createSealer([old]).open(sealed, 'sales')],
    ['a changed text', (sealed: string) => () => createSealer([current]).open(`${sealed.slice(0, -2)}AA`, 'sales')],
    ['a text that is not sealed', () => () => createSealer([current]).open('password', 'sales')],
  ])('given %s, when opened, then a sentence says that it cannot be', (_, opening) => {
    expect(opening(createSealer([current]).seal('a password of a source', 'sales'))).toThrow('cannot be opened')
  })

  test('given a text of the previous key, when that key is known too, then it opens, but is not current', () => {
    const sealed = createSealer([old]).seal('password', 'sales')
    const sealer = createSealer([current, old])
    expect([sealer.open(sealed, 'sales'), sealer.isCurrent(sealed)]).toEqual(['password', false])
    expect(sealer.isCurrent(sealer.seal('password', 'sales'))).toBe(true)
  })

  test('given no key, when a text is sealed, then it is refused and the variable is named', () => {
    expect(() => createSealer([]).seal('password', 'sales')).toThrow('ASSAY_SEALING_KEY')
  })
})

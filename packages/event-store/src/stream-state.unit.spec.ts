import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamName } from './port.ts'
import { parseState, streamStateText } from './stream-state.ts'

describe('names of states', () => {
  it('given any id, then its text has no separator of the header, and is parsed to the same', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (id, revision) => {
        fc.pre(id.isWellFormed() && !/[\r\n]/.test(id))
        const text = streamStateText(streamName('t', 'tag', id), revision) ?? ''
        expect(text).toMatch(/^[\w.!~*'()%@-]+$/)
        expect(parseState(text)).toEqual({ category: 'tag', id, revision })
      }),
    )
  })

  it('given texts that a client made up, then they name no state', () => {
    for (const text of ['0000000000000000012', '7_9', 'tag-%E0%A4%A@1', 'tag@1', 'tag-1@', 'tag-1@x'])
      expect(parseState(text)).toBeUndefined()
  })
})

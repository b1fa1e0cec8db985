import { describe, expect, it } from 'vitest'
import { encodedMessage } from './message.ts'
import { testMessage } from './testing/index.ts'

describe('encodedMessage', () => {
  it('given a message without an id, when encoded, then the error names the id', () => {
    expect(() => encodedMessage({ ...testMessage('k', ''), id: '' })).toThrow(/its id/)
  })
})

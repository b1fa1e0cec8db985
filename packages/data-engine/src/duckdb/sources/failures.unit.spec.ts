import { expect, it } from 'vitest'
import { unreadable } from './failures.ts'

it.each([() => 'x'.repeat(2 ** 30), () => Buffer.alloc(2 ** 29).toString('latin1')])(
  'given a value beyond the longest string (%s), then the file is too large, not damaged',
  (read) => {
    let error: unknown
    try {
      read()
    } catch (thrown) {
      error = thrown
    }
    expect(unreadable(error, 'a.json')).toMatchObject({
      code: 'too-large',
      message: 'a.json needs more memory than this run may use.',
    })
  },
)

import { AssayError } from '@assay/service-kit/errors'
import { MongoNetworkError, MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { translated } from './errors.ts'
import { call, limitsOf } from './limits.ts'

const server = (code: number, errorLabels: string[] = []) =>
  new MongoServerError({ message: 'E: "secret value"', code, errorLabels })

describe('errors of the driver', () => {
  const cases: [string, unknown, AssayError['code']][] = [
    ['a cut connection', new MongoNetworkError('connection 3 to 127.0.0.1 closed'), 'unavailable'],
    ['a server that is not primary', server(10_107), 'unavailable'],
    ['a failure that may be retried', server(1, ['RetryableWriteError']), 'unavailable'],
    ['a refused user', server(13), 'unavailable'],
    ['a full disk', server(14_031), 'unavailable'],
    ['a query that exceeds its time limit', server(50), 'timeout'],
    ['a record that is too large', server(10_334), 'too-large'],
    ['an unknown command', server(59), 'internal'],
    ['an error of our own code', new TypeError('x is undefined'), 'internal'],
    ['an error that is already translated', new AssayError('conflict', 'A sentence.'), 'conflict'],
  ]
  for (const [what, error, code] of cases) {
    it(`given ${what}, when translated, then it is ${code} and its message contains no values`, () => {
      const made = translated(error)
      expect(made.code).toBe(code)
      expect(made.message).not.toContain('secret')
    })
  }

  it('given a call that never resolves, then it rejects with a timeout', async () => {
    const late = call(5, () => new Promise<never>(() => {}))
    await expect(late).rejects.toMatchObject({ code: 'timeout' })
  })

  it('given a time limit that is not a positive whole number, then it is refused', () => {
    expect(() => limitsOf({ operation: 0 })).toThrow('operation')
    expect(() => limitsOf({ index: Number.NaN })).toThrow('index')
  })
})

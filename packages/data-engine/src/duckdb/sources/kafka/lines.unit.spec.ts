import { describe, expect, test } from 'vitest'
import { lineOf } from './lines.ts'

const nested = (levels: number) => `{"a":${'['.repeat(levels)}1${']'.repeat(levels)}}`

describe('a message', () => {
  test.each([
    ['{"id": 1,\r\n"name": "Ada"}', '{"id": 1,  "name": "Ada"}\n'],
    ['{"pair": "\\ud83d\\ude00", "path": "C:\\\\udata"}', '{"pair": "\\ud83d\\ude00", "path": "C:\\\\udata"}\n'],
    ['{"nul": "\\u0000"}', '{"nul": "\\u0000"}\n'],
    [nested(999), `${nested(999)}\n`],
  ])('given an object, then it is one line: %#', (value, line) => {
    expect(String(lineOf({ value: Buffer.from(value) }))).toBe(line)
  })

  test.each([
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')]), /Unicode/],
    ['half a surrogate pair', '{"a": [{"b": "\\ud800"}]}', /Unicode/],
    ['half a surrogate pair in a name', '{"a\\udc00": 1}', /Unicode/],
    ['a name with NUL', '{"a": {"b\\u0000": 1}}', /Unicode/],
    ['deep arrays', nested(100_000), /deeper than 1000/],
    ['deep objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /deeper than 1000/],
    ['a list', '[1]', /not a JSON object/],
    ['no JSON', 'hello', /not a JSON object/],
  ])('given %s, which the engine cannot read, then it is not a row', (_, value, problem) => {
    expect(lineOf({ value: Buffer.from(value) })).toEqual({ problem: expect.stringMatching(problem) })
  })

  test('given no value, then it marks a deletion', () => {
    expect(lineOf({ value: null })).toBeNull()
  })
})

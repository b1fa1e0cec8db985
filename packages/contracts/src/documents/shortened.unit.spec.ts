import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test('given what fits, then it is whole', () => {
  expect(shortened({ id: 1, tags: ['a', 'b'], owner: null }, 100)).toBe('{"id":1,"tags":["a","b"],"owner":null}')
})

test('given more than fits, then what is left out is dots, fields that are not known first', () => {
  const asset = { id: 1, alias: null, ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, at])) }
  expect(shortened({ assets: [asset, asset] }, 90)).toBe(
    '{"assets": [{"id": 1, "field0": 0, "field1": 1, "field2": 2, "field3": 3, ...}, ...]}',
  )
  expect(shortened({ a: [['deep']], text: 'x'.repeat(60) }, 60)).toBe(`{"a": [...], "text": "${'x'.repeat(40)}..."}`)
})

test('given any value, then nothing longer than it comes out where it would have fitted, and never a line break', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 20, max: 400 }), (value, most) => {
      const text = shortened(value, most)
      expect(text).not.toContain('\n')
      if (JSON.stringify(value).length <= most) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

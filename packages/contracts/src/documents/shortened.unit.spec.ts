import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test('given a value that fits, then it is complete', () => {
  expect(shortened({ id: 1, tags: ['a', 'b'], owner: null }, 100)).toBe('{"id": 1, "tags": ["a", "b"], "owner": null}')
})

test('given a value that does not fit, then dots replace omitted parts, and null fields are omitted first', () => {
  const asset = { id: 1, alias: null, ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, at])) }
  expect(shortened({ assets: [asset, asset] }, 90)).toBe(
    '{"assets": [{"id": 1, "field0": 0, "field1": 1, "field2": 2, "field3": 3, ...}, ...]}',
  )
  expect(shortened({ a: [['deep']], text: 'x'.repeat(60) }, 60)).toBe(`{"a": [...], "text": "${'x'.repeat(40)}..."}`)
})

test('given a value that is too long for a line, then each of its parts has a line', () => {
  const name = 'x'.repeat(60)
  expect(shortened({ data: [{ name, other: name, id: 1 }] }, 400)).toBe(
    `{\n  "data": [\n    {\n      "name": "${name}",\n      "other": "${name}",\n      "id": 1\n    }\n  ]\n}`,
  )
})

test('given any value that fits, then it is complete, over any number of lines', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 20, max: 400 }), (value, most) => {
      const text = shortened(value, most)
      if (JSON.stringify(value).length <= most) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

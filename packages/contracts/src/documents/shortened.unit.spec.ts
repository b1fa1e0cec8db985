import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test('given what fits, then it is whole', () => {
  expect(shortened({ id: 1, tags: ['a', 'b'], owner: null }, 100)).toBe('{"id": 1, "tags": ["a", "b"], "owner": null}')
})

test('given more than fits, then what is left out is dots, fields that are not known first', () => {
  const asset = { id: 1, alias: null, ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, at])) }
  expect(shortened({ assets: [asset, asset] }, 90)).toBe(
    '{"assets": [{"id": 1, "field0": 0, "field1": 1, "field2": 2, "field3": 3, ...}, ...]}',
  )
  expect(shortened({ a: [['deep']], text: 'x'.repeat(60) }, 60)).toBe(`{"a": [...], "text": "${'x'.repeat(40)}..."}`)
})

test('given what is too long for a line, then its parts have lines of their own', () => {
  const name = 'x'.repeat(60)
  expect(shortened({ data: [{ name, other: name, id: 1 }] }, 400)).toBe(
    `{\n  "data": [\n    {\n      "name": "${name}",\n      "other": "${name}",\n      "id": 1\n    }\n  ]\n}`,
  )
})

test('given any value that fits, then it comes out whole, however many lines it takes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 20, max: 400 }), (value, most) => {
      const text = shortened(value, most)
      if (JSON.stringify(value).length <= most) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

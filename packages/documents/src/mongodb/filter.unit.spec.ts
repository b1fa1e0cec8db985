import { isAssayError } from '@assay/service-kit/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterOf, literalPattern, sortOf } from './filter.ts'

describe('literalPattern', () => {
  it('given any two texts, then the pattern of one matches the other exactly if the other contains it', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'A', '.', '*', '\\', '(', '[', '^', '$', '\n', '\0', '-', 'é', '😀', '_'),
    })
    fc.assert(
      fc.property(text, text, (part, whole) => {
        // Without the u flag: with it, JavaScript refuses escapes that MongoDB accepts.
        expect(new RegExp(literalPattern(part)).test(whole)).toBe(whole.includes(part))
        expect(new RegExp(literalPattern(part)).test(whole + part)).toBe(true)
      }),
    )
  })

  it('given a text with NUL, then its pattern has no NUL', () => {
    expect(literalPattern('a\0b')).toBe('a\\x00b')
  })
})

describe('filterOf', () => {
  it('given values that look like operators, then the filter has them as plain operands', () => {
    const filter = filterOf('$where', [
      { field: 'name', is: '$ne' },
      { field: 'name', not: '{"$gt": ""}' },
      { field: 'title', is: null },
    ])
    expect(filter).toEqual({
      tenant: '$where',
      live: true,
      'f.name': { $eq: '$ne' },
      'f.title': { $eq: new Date(0) },
      $and: [{ 'f.name': { $ne: '{"$gt": ""}' } }],
    })
  })

  it('given several conditions on one field, then the filter has all of them', () => {
    const filter = filterOf('t', [
      { field: 'size', from: 1 },
      { field: 'size', to: 5 },
      { field: 'size', not: 3 },
    ])
    expect(filter).toEqual({
      tenant: 't',
      live: true,
      'f.size': { $gte: 1 },
      $and: [{ 'f.size': { $lte: 5 } }, { 'f.size': { $ne: 3 } }],
    })
  })

  it('given a text that is too long for a pattern, then it is refused as invalid', () => {
    const make = () => filterOf('t', [{ field: 'name', contains: '.'.repeat(4001) }])
    expect(make).toThrow(expect.toSatisfy((error: unknown) => isAssayError(error, 'invalid')))
  })
})

describe('sortOf', () => {
  it('given sort keys, then the sort has the same order', () => {
    const sort = sortOf([
      { field: 'size', direction: 'desc' },
      { field: 'id', direction: 'asc' },
    ])
    expect(sort).toEqual([
      ['f.size', -1],
      ['f.id', 1],
    ])
  })
})

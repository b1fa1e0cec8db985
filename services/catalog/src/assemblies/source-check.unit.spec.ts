import { fixedPart, isWithin } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { parseSource } from './source-check.ts'

describe('sources', () => {
  it.each([
    ['/data/sales', '/data/sales'],
    ['/data/*/x.csv', '/data'],
    ['/data/20{25,26}/x.csv', '/data'],
    ['/*.csv', '/'],
  ])('%s has the fixed part %s', (path, fixed) => {
    expect(fixedPart(path)).toBe(fixed)
  })

  it.each([
    ['/data', '/data', true],
    ['/data', '/data/x', true],
    ['/data', '/database', false],
    ['/', '/anything', true],
    ['/data/x', '/data', false],
  ])('within %s lies %s: %s', (folder, path, expected) => {
    expect(isWithin(folder, path)).toBe(expected)
  })

  it('name the field that is wrong and keep nothing unknown', () => {
    expect(parseSource('FILE', { path: '/data', password: 'x', sourceType: 'DUCKDB' })).toEqual({
      sourceType: 'FILE',
      path: '/data',
    })
    expect(() => parseSource('FILE', { path: 5 })).toThrow('configuration.path')
    expect(() => parseSource('FILE', { path: '/d', csv: { delimiter: '' } })).toThrow('configuration.csv.delimiter')
    expect(() => parseSource('FILE', { path: '/d', include: ['ok', '../../etc/*'] })).toThrow('configuration.include.1')
    expect(() => parseSource('FILE', { path: '/d', exclude: ['/etc'] })).toThrow('configuration.exclude.0')
  })
})

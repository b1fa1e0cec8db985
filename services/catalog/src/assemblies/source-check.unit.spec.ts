import { describe, expect, it } from 'vitest'
import { parseSource } from './source-check.ts'

describe('parseSource', () => {
  it('given an invalid or unknown field, then the error names it', () => {
    expect(parseSource('FILE', { path: '/data', sourceType: 'DUCKDB' })).toEqual({
      sourceType: 'FILE',
      path: '/data',
    })
    expect(() => parseSource('FILE', { path: 5 })).toThrow('configuration.path')
    expect(() => parseSource('FILE', { path: '/a[b]/../../etc' })).toThrow("configuration.path: must not contain '..'")
    for (const [unknown, sentence] of [
      [{ patth: '/data' }, 'configuration: "patth" is not known here; did you mean "path"?'],
      [{ path: '/d', encoding: 'latin-1' }, '"encoding" is not known here; did you mean "csv.encoding"?'],
      [
        { path: '/d', csv: { separator: ';' } },
        'configuration.csv: "separator" is not known here. Known fields: delimiter,',
      ],
      [{ path: '/d', password: 'x' }, 'configuration: "password" is not known here. Known fields:'],
    ] as const)
      expect(() => parseSource('FILE', unknown)).toThrow(sentence)
    expect(() => parseSource('FILE', { path: '/d', csv: { delimiter: '' } })).toThrow('configuration.csv.delimiter')
    expect(() => parseSource('FILE', { path: '/d', include: ['ok', '../../etc/*'] })).toThrow('configuration.include.1')
    expect(() => parseSource('FILE', { path: '/d', exclude: ['/etc'] })).toThrow('configuration.exclude.0')
  })
})

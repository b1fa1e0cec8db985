import { systemTimers } from '@assay/service-kit/node'
import { describe, expect, it } from 'vitest'
import { createSourceCheck, parseSource } from './source-check.ts'

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

describe('the check of a source', () => {
  it('given a source that lets its server answer slowly, then the check waits for it at most 5 seconds', async () => {
    const limits: unknown[] = []
    const sourceCheck = createSourceCheck({
      engine: {
        async probe(of) {
          limits.push('connectTimeoutSeconds' in of && of.connectTimeoutSeconds)
          return { tables: 0, skipped: { total: 0, first: [] } }
        },
        async *discover() {},
      },
      timers: systemTimers,
    })
    for (const connectTimeoutSeconds of [60, 2]) {
      const place = { host: 'db.example.com', database: 'd', user: 'u', password: 'p' }
      const of = parseSource('POSTGRESQL', { ...place, connectTimeoutSeconds })
      await sourceCheck.test(of, { tenant: 't', signal: new AbortController().signal })
    }
    expect(limits).toEqual([5, 2])
  })
})

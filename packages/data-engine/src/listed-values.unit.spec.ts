import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import type { SourceSide, TextRow } from './compared-source.ts'
import type { DatasetLocator } from './dataset.ts'
import { listedAtSource } from './listed-values.ts'
import { withListedLookups } from './lookups-elsewhere.ts'
import type { Metric } from './plan.ts'

const { signal } = new AbortController()
const relation = (source: number, table = 't'): DatasetLocator => ({
  ...{ kind: 'relation', engine: 'POSTGRESQL', source, schema: 'public', table, columns: [], fingerprint: '' },
})
const lookupIn = (id: number, dataset: DatasetLocator): Metric => ({
  ...{ kind: 'rows', id, predicate: { kind: 'in-lookup', column: 'a', lookup: { dataset, column: 'code' } } },
})

describe('the values of a lookup in another source', () => {
  const sideOf = (values: Iterable<string>, counted = { read: 0 }): Pick<SourceSide, 'columns' | 'read'> => ({
    columns: [{ name: 'code', type: { kind: 'text' }, stored: 'VARCHAR' }],
    async *read() {
      let part: TextRow[] = []
      for (const value of values) {
        counted.read += 1
        part.push([value, '1'])
        if (part.length === 1000) {
          yield part
          part = []
        }
      }
      yield part
    },
  })
  const numbered = function* (count: number) {
    for (let index = 0; index < count; index += 1) yield `${index}`
  }

  it('are read up to 100,000, and no further beyond them', async () => {
    expect((await listedAtSource(sideOf(numbered(100_000)), 'CODE')).values).toHaveLength(100_000)
    const counted = { read: 0 }
    await expect(listedAtSource(sideOf(numbered(1_000_000), counted), 'code')).rejects.toMatchObject({
      ...{ code: 'too-large', message: expect.stringContaining('more than 100000 different values') },
    })
    expect(counted.read).toBeLessThan(102_000)
  })

  it('have two million characters at most', async () => {
    const long = ['x', 'y'].map((letter) => letter.repeat(1_000_001))
    await expect(listedAtSource(sideOf(long), 'code')).rejects.toThrow('more than 2000000 characters')
    await expect(listedAtSource(sideOf([]), 'other')).rejects.toMatchObject({ code: 'invalid' })
  })

  it('are read once for all metrics, and a problem concerns only the metrics that need them', async () => {
    const asked: string[] = []
    const [near, far, broken, binary] = [relation(1, 'codes'), relation(2), relation(3), relation(4)]
    const metrics = [near, far, broken, far, binary].map((dataset, index) => lookupIn(index + 1, dataset))
    const listed = await withListedLookups(
      metrics,
      relation(1),
      async ({ dataset }) => {
        asked.push(JSON.stringify(dataset))
        if (dataset === broken) throw new AssayError('unprocessable', 'The server is down.')
        return { dataType: dataset === binary ? 'BLOB' : 'VARCHAR', values: ['DE'] }
      },
      { signal },
    )
    expect(asked).toEqual([far, broken, binary].map((one) => JSON.stringify(one)))
    const elsewhere = listed.map((metric) =>
      metric.kind === 'rows' && metric.predicate.kind === 'in-lookup' ? metric.predicate.lookup.elsewhere : null,
    )
    const known = { dataType: 'VARCHAR', values: ['DE'] }
    const unknown = { problem: 'Values of the type BLOB cannot be looked up in another source.' }
    expect(elsewhere).toEqual([undefined, known, { problem: 'The server is down.' }, known, unknown])
  })

  it('end the run if it is out of time', async () => {
    const late = new AssayError('timeout', 'The run did not end in time.')
    const reading = withListedLookups([lookupIn(1, relation(2))], relation(1), () => Promise.reject(late), { signal })
    await expect(reading).rejects.toBe(late)
  })
})

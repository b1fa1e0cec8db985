import { describe, expect, it } from 'vitest'
import type { FoundPeriods } from '../kinds/judging.ts'
import { valuesOf, type WatchedPeriods } from './periods.ts'

type Result = FoundPeriods['periods'][number]['metrics'][number]

const watched: WatchedPeriods = {
  periods: {
    definition: {
      ...{ columnName: 'made', granularity: 'DAY', from: null, timeZone: 'UTC' },
      ...{ freshnessColumn: null, marker: null },
    },
    column: { source: 'POLICY', columnName: 'made', time: [{ column: 'made', format: null }], isDate: false },
    bounds: [0, 86_400_000],
  },
  figures: [
    { key: 'rows', watched: { metric: 'ROW_COUNT', columnName: null }, metric: undefined },
    {
      ...{ key: 'mean', watched: { metric: 'MEAN', columnName: 'amount' } },
      metric: { kind: 'aggregate', id: 2, fn: 'AVG', column: 'amount' },
    },
  ],
  keyOf: () => undefined,
}
const of = (...metrics: Result[]) => [...valuesOf(watched)([{ rows: 4, metrics }])]

describe('the values of series by period', () => {
  it('given an empty value, then the period has none', () => {
    expect(of({ id: 2, kind: 'value', value: null, scanned: 0 })).toEqual([
      ['rows', ['4']],
      ['mean', [null]],
    ])
  })

  it.each([
    ['an error', [{ id: 2, kind: 'error' as const, message: 'The column "amount" is missing.' }]],
    ['no result', []],
  ])('given %s of a metric, then its series is left out, so that recorded values stay', (_, metrics) => {
    expect(of(...metrics)).toEqual([['rows', ['4']]])
  })
})

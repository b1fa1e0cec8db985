import { describe, expect, it } from 'vitest'
import { withTopValues } from './stored-profile.ts'

const columnWith = (notFinite: number | null, values: readonly (number | string)[]) => ({
  notFinite,
  mostFrequent: values.map((value, n) => ({ value, count: 99 - n })),
})

describe('the frequent values of a profile', () => {
  it('given many, then the ten most frequent finite ones are shown; a text may look like one that is not', () => {
    const numbers = Array.from({ length: 15 }, (_, n) => n)
    const columns = [columnWith(2, ['NaN', '-Infinity', ...numbers]), columnWith(null, ['NaN', 'Infinity'])]
    expect(withTopValues(columns).map(({ mostFrequent }) => mostFrequent.map(({ value }) => value))).toEqual([
      numbers.slice(0, 10),
      ['NaN', 'Infinity'],
    ])
  })
})

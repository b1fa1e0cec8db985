import { describe, expect, it } from 'vitest'
import { withTopValues } from './stored-profile.ts'

const columnWith = (dataType: string, values: readonly (number | string)[]) => ({
  dataType,
  mostFrequent: values.map((value, n) => ({ value, count: 99 - n })),
})

describe('the frequent values of a profile', () => {
  it('given many, then the ten most frequent finite ones are shown; a text may look like one that is not', () => {
    const numbers = Array.from({ length: 15 }, (_, n) => n)
    const columns = [
      columnWith('DOUBLE', ['NaN', '-Infinity', ...numbers]),
      columnWith('VARCHAR', ['NaN', 'infinity']),
      columnWith('DATE', ['infinity', '2024-01-31', '-infinity']),
    ]
    expect(withTopValues(columns).map(({ mostFrequent }) => mostFrequent.map(({ value }) => value))).toEqual([
      numbers.slice(0, 10),
      ['NaN', 'infinity'],
      ['2024-01-31'],
    ])
  })
})

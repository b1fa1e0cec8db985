import { expect, it } from 'vitest'
import { things } from '../testing/collections.ts'
import { whereSql } from './filter.ts'
import { tableOf } from './table.ts'

const table = tableOf(things)

it('given a range with a bound, then nothing else can begin the range of the index', () => {
  const both = whereSql(table, [{ field: 'size', from: 1, to: 2 }])
  expect(both).toEqual({ text: 'removed = 0 AND "f_size" >= ? AND "f_size" <= ?', values: [1, 2] })
})

it('given a range without bounds, then documents without the field are left out', () => {
  expect(whereSql(table, [{ field: 'size' }]).text).toBe('removed = 0 AND "f_size" IS NOT NULL')
})

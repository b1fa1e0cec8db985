import { describe, expect, it } from 'vitest'
import { findColumnPath } from './column-path.ts'

const columns = [
  { name: 'id', dataType: 'BIGINT' },
  { name: 'a.b', dataType: 'DATE' },
  {
    name: 'a',
    dataType: 'STRUCT(b DECIMAL(10,2), "c, d" STRUCT("say ""it""" VARCHAR[]), e ENUM(\'x, (\', \'y\'), f VARCHAR)',
  },
  { name: 'list', dataType: 'STRUCT(x BIGINT)[]' },
]

describe('findColumnPath', () => {
  it.each([
    ['id', 'id', [], 'BIGINT'],
    ['a', 'a', [], columns[2]?.dataType],
    ['a.b', 'a.b', [], 'DATE'],
    ['"a"."b"', 'a', ['b'], 'DECIMAL(10,2)'],
    ['"a".b', 'a', ['b'], 'DECIMAL(10,2)'],
    ['a.f', 'a', ['f'], 'VARCHAR'],
    ['a.e', 'a', ['e'], "ENUM('x, (', 'y')"],
    ['a."c, d"', 'a', ['c, d'], 'STRUCT("say ""it""" VARCHAR[])'],
    ['a."c, d"."say ""it"""', 'a', ['c, d', 'say "it"'], 'VARCHAR[]'],
  ])('%s', (name, column, fields, dataType) => {
    expect(findColumnPath(columns, name)).toEqual({ column, fields, dataType })
  })
  it.each(['', 'x', 'a.x', 'a.f.x', 'list.x', 'a.', '.a', 'a..f', '"a', '"a"b.f', 'A.f'])('%s is not found', (name) => {
    expect(findColumnPath(columns, name)).toBeUndefined()
  })
})

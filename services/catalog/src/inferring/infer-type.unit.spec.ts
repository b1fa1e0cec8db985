import { describe, expect, it } from 'vitest'
import { inferredType } from './infer-type.ts'
import { isIdType, isTimeType, strategiesOf } from './strategies.ts'

describe('the type of values', () => {
  it.each([
    [['1', '-2', null, ''], 'BIGINT'],
    [['1', '2.5', '1e3'], 'DOUBLE'],
    [['9223372036854775807'], 'BIGINT'],
    [['9223372036854775808'], 'DOUBLE'],
    [['007', '8'], undefined],
    [['true', 'FALSE'], 'BOOLEAN'],
    [['2026-02-28'], 'DATE'],
    [['2026-02-30'], undefined],
    [['2026-02-28', '2026-02-28T10:00:00Z'], 'TIMESTAMP'],
    [['2026-02-28 10:00'], 'TIMESTAMP'],
    [['{"a":1}', '[1]'], 'JSON'],
    [['{a', '[1]'], undefined],
    [['1', 'true'], undefined],
    [[null, ''], undefined],
    [[], undefined],
    [[1], undefined],
  ])('of %j is %s', (values, type) => {
    expect(inferredType(values)).toBe(type)
  })
})

describe('incremental strategies', () => {
  const column = (dataType: string) => ({ name: 'c', dataType })
  const typesOf = (columns: { name: string; dataType: string }[], isFile = false, isTopic = false) => {
    const { incremental, selective } = strategiesOf({ columns, isFile, isTopic })
    return [incremental.map(({ type }) => type), selective.map(({ type }) => type)]
  }
  it('given an asset without rows, then it has no strategies', () => {
    expect(strategiesOf(undefined)).toEqual({ incremental: [], selective: [] })
  })
  it('given a table, then it has the strategies of its column types', () => {
    expect(typesOf([column('VARCHAR'), column('DOUBLE')])).toEqual([[], []])
    expect(typesOf([column('BIGINT')])).toEqual([['IdMarkerConfig'], ['bound']])
    expect(typesOf([column('TIMESTAMP WITH TIME ZONE')])).toEqual([['DateTimeMarkerConfig'], ['boundDateTime']])
  })
  it('given a file or a topic, then it also has the strategies of its kind', () => {
    expect(typesOf([column('DATE')], true)).toEqual([
      ['DateTimeMarkerConfig', 'FileEventMarkerConfig'],
      ['boundDateTime', 'boundFileEvent'],
    ])
    expect(typesOf([], false, true)).toEqual([['TimestampBasedMarkerConfig'], ['TimestampBasedMarkerConfig']])
  })
  it.each([
    ['INTEGER', true, false],
    ['UHUGEINT', true, false],
    ['int8', true, false],
    ['BIGINT[]', false, false],
    ['INTERVAL', false, false],
    ['TIME', false, false],
    ['DATE', false, true],
    ['TIMESTAMP_NS', false, true],
    ['TIMESTAMPTZ', false, true],
    ['DATETIME', false, true],
    ['DECIMAL(18,0)', false, false],
  ])('given the type %s, then it counts as an id or a time only if it is one', (type, isId, isTime) => {
    expect([isIdType(type), isTimeType(type)]).toEqual([isId, isTime])
  })
})

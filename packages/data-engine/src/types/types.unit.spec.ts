import { describe, expect, it } from 'vitest'
import { checkableType } from './checkable-type.ts'
import { formatType } from './format-type.ts'
import { integerLimits, isNested, withLeaves } from './logical-type.ts'
import { namesOfDuckdb } from './names.fixture.ts'
import { parseType } from './parse-type.ts'

describe('names of types', () => {
  it.each(namesOfDuckdb)('%s is %s', (name, canonical) => {
    expect(formatType(parseType(name))).toBe(canonical)
    expect(parseType(canonical)).toEqual(parseType(name))
  })

  it.each([
    ['BYTE', 'TINYINT'],
    ['NUMBER', 'DECIMAL(18,3)'],
    ['BIGDECIMAL', 'DECIMAL(18,3)'],
    ['NUMBER(10,2)', 'DECIMAL(10,2)'],
    ['tinyint(1)', 'BOOLEAN'],
    ['tinyint(1) unsigned', 'UTINYINT'],
    ['int(11)', 'INTEGER'],
    ['int(10) unsigned zerofill', 'UINTEGER'],
    ['bigint unsigned', 'UBIGINT'],
    ['decimal(10,2) unsigned', 'DECIMAL(10,2)'],
    ['numeric(60,30)', 'DECIMAL(60,30)'],
    ['year(4)', 'USMALLINT'],
    ['datetime(3)', 'TIMESTAMP_MS'],
    ["set('a','b')", 'VARCHAR'],
    ['LONGTEXT', 'VARCHAR'],
    ['jsonb', 'JSON'],
  ])('%s of other databases is %s', (name, canonical) => {
    expect(formatType(parseType(name))).toBe(canonical)
  })

  it.each([
    '',
    'INTERVAL',
    'BIGNUM',
    'GEOMETRY',
    'DECIMAL(1001,2)',
    'DECIMAL(2,3)',
    'DECIMAL(10,2',
    'INTEGER)',
    'STRUCT(a)',
    '"NULL"',
    'MAP(A)',
    'x'.repeat(50),
  ])('%s is other, with its own name', (name) => {
    expect(parseType(name)).toEqual({ kind: 'other', name })
  })

  it('integerLimits gives the limits of each integer type', () => {
    const limits = ['TINYINT', 'UBIGINT', 'HUGEINT'].map((name) => {
      const type = parseType(name)
      return type.kind === 'integer' ? integerLimits(type) : undefined
    })
    expect(limits).toEqual([
      { min: -128n, max: 127n },
      { min: 0n, max: 18446744073709551615n },
      { min: -(2n ** 127n), max: 2n ** 127n - 1n },
    ])
  })

  it.each([
    ['STRUCT(a INTEGER)', true],
    ['STRUCT', true],
    ['MAP(VARCHAR, UUID)', true],
    ['DATE[]', true],
    ['DATE[3]', true],
    ['JSON', true],
    ['UNION(a INTEGER)', true],
    ['VARIANT', true],
    ['UUID', false],
    ["ENUM('a', 'STRUCT(')", false],
    ['BLOB', false],
  ])('%s has an inner structure: %s', (name, expected) => {
    expect(isNested(parseType(name))).toBe(expected)
  })

  it('withLeaves changes only leaf types', () => {
    const type = parseType('STRUCT(a DECIMAL(4,2)[], b MAP(VARCHAR, DECIMAL(4,2)), "DECIMAL(4,2)" DATE)')
    const changed = withLeaves(type, (leaf) => (leaf.kind === 'decimal' ? { kind: 'text' } : leaf))
    expect(formatType(changed)).toBe('STRUCT("a" VARCHAR[], "b" MAP(VARCHAR, VARCHAR), "DECIMAL(4,2)" DATE)')
    expect(withLeaves(type, (leaf) => leaf)).toBe(type)
  })

  it('types that are nested too deep are other', () => {
    expect(parseType(`${'STRUCT(a '.repeat(5000)}INTEGER${')'.repeat(5000)}`).kind).toBe('other')
  })
})

describe('types that values can be checked for', () => {
  it.each([
    ['string', 'VARCHAR'],
    ['Decimal', 'DECIMAL(18,3)'],
    ['numeric(10)', 'DECIMAL(10,0)'],
    [' DECIMAL( 10 , 2 ) ', 'DECIMAL(10,2)'],
    ['double  precision', 'DOUBLE'],
    ['timestamptz', 'TIMESTAMP WITH TIME ZONE'],
    ['uuid', 'UUID'],
  ])('%s is %s', (written, name) => {
    const type = checkableType(written)
    expect(type && formatType(type)).toBe(name)
  })
  it.each([
    'INTEGER[]',
    'STRUCT(a INT)',
    'BLOB',
    'INTERVAL',
    'VARCHAR(20)',
    'TIMESTAMP(3)',
    'TIMESTAMP_NS',
    "ENUM('a')",
    'DECIMAL(39,1)',
    'money!',
    '',
  ])('%s cannot be checked', (written) => {
    expect(checkableType(written)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { columnFinder } from '../../sql/predicate/column.ts'
import { duckdbDialect } from '../dialect.ts'
import { isPartition } from './partition-name.ts'

function conditionOf(dataType: string, value: string | null): string {
  return isPartition(columnFinder([{ name: 'p', dataType }], duckdbDialect)('p'), value)
}
const byText = (text: string) => `coalesce(CAST("p" AS VARCHAR) = '${text}', false)`

describe('isPartition', () => {
  it.each([
    ['DATE', '2026-11-03x'],
    ['DATE', '2026-11-03T10:00'],
    ['DATE', '2026-11-03 '],
    ['BIGINT', '7.0'],
    ['BIGINT', ' 7'],
    ['DOUBLE', ' 1.5'],
    ['DOUBLE', '1.5x'],
    ['TIMESTAMP', '2026-11-03 10:00:00 and more'],
    ['TIMESTAMP', '2026-11-03T10'],
    ['TIMESTAMP WITH TIME ZONE', '2026-11-03 10:00:00'],
    ['TIME', '10:00:00x'],
    ['UUID', 'x'],
  ])('given %s and %s, then only texts are compared', (dataType, value) => {
    expect(conditionOf(dataType, value)).toBe(byText(value))
  })

  it('given quotes in the value, then they are escaped', () => {
    expect(conditionOf('DATE', "2026-11-03' or 1=1--")).toBe(byText("2026-11-03'' or 1=1--"))
    expect(conditionOf('VARCHAR', "'")).toBe(`coalesce("p" = '''', false)`)
  })

  it.each([
    ['DOUBLE', '1.50'],
    ['DECIMAL(18,3)', '1.5'],
    ['BOOLEAN', 'TRUE'],
    ['TIME', '10:00'],
    ['TIMESTAMP', '2026-11-03T10:00'],
    ['TIMESTAMP WITH TIME ZONE', '2026-11-03T10:00:00Z'],
  ])('given %s and %s, one of several notations of a value, then values are compared, too', (dataType, value) => {
    expect(conditionOf(dataType, value)).toContain(` OR ("p" IS NOT NULL AND `)
  })

  it('given null, then rows without a value match', () => {
    expect(conditionOf('DATE', null)).toBe('"p" IS NULL')
  })
})

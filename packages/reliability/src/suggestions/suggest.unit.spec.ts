import { describe, expect, it } from 'vitest'
import type { Profiled, ProfiledColumn } from './profiled.ts'
import { suggestionsFor } from './suggest.ts'
import { suggestionId, suggestionOf } from './suggestion-id.ts'

const rows = 100
const noForms = { blank: null, patterns: null, inferredType: null }
/** A column of 100 rows without NULLs. */
function column(name: string, dataType: string, more: Partial<ProfiledColumn> = {}): ProfiledColumn {
  const values = { nulls: 0, distinct: 50, min: null, max: null, minLength: null, maxLength: null, notFinite: null }
  const rest = { distinctMethod: 'EXACT' as const, mostFrequent: [], masked: false, error: null }
  return { name, dataType, ...values, ...rest, ...noForms, ...more }
}
const listed = (...values: string[]) => values.map((value) => ({ value, count: rows / values.length }))
const status = (...values: string[]) =>
  column('status', 'VARCHAR', {
    ...{ distinct: values.length, mostFrequent: listed(...values) },
    ...{ minLength: 4, maxLength: Math.max(...values.map(({ length }) => length)) },
  })
const profile = (...columns: ProfiledColumn[]): Profiled => ({ rows, columns })
const suggested = (now: ProfiledColumn, ...earlier: ProfiledColumn[]) =>
  suggestionsFor(
    profile(now),
    earlier.map((one) => profile(one)),
  )
const typesOf = (now: ProfiledColumn, ...earlier: ProfiledColumn[]) =>
  suggested(now, ...earlier).map(({ measurementType }) => measurementType)

describe('suggestions', () => {
  it('given a complete column of few texts, then it must be complete, one of them, and as long as they are', () => {
    expect(suggested(status('open', 'paid', 'late'))).toEqual([
      expect.objectContaining({
        columnName: 'status',
        measurementType: 'MISSING_VALUES',
        resultThreshold: 100,
        rank: 1,
      }),
      expect.objectContaining({
        measurementType: 'VALUES_IN_LIST',
        value: { values: ['open', 'paid', 'late'] },
        rank: 2,
      }),
      expect.objectContaining({ measurementType: 'SIZE_CHECK', value: { min: 4, max: 4 }, rank: 3 }),
    ])
  })

  it('given 3 NULLs in 100 rows, then the threshold is the lower end of the Wilson interval, 91.55 %, in whole percent', () => {
    expect(suggested(column('note', 'DATE', { nulls: 3 }))).toMatchObject([
      { measurementType: 'MISSING_VALUES', resultThreshold: 91 },
    ])
    expect(suggested(column('note', 'DATE', { nulls: 60 }))).toEqual([])
  })

  it('given numbers, then keys are distinct and measures are within their extremes', () => {
    const key = column('id', 'BIGINT', { distinct: 100, min: 1, max: 100 })
    expect(typesOf(key)).toEqual(['MISSING_VALUES', 'DISTINCTNESS_CHECK', 'RANGE_MATCH'])
    const amounts = suggested(column('amount', 'DECIMAL(38,2)', { min: '0.50', max: '12345678901234567890.10' }))
    expect(amounts.slice(1)).toMatchObject([
      { measurementType: 'RANGE_MATCH', value: { min: 0 } },
      { measurementType: 'RANGE_MATCH', value: { min: '0.50', max: '12345678901234567890.10' } },
    ])
    expect(suggested(column('balance', 'DOUBLE', { min: -3, max: 4 })).slice(1)).toMatchObject([
      { value: { min: -3, max: 4 } },
    ])
  })

  it('given NaN or infinities, then no range is suggested, because they fail it', () => {
    const x = column('x', 'DOUBLE', { min: 0, max: 4, notFinite: 0 })
    expect(typesOf(x)).toEqual(['MISSING_VALUES', 'RANGE_MATCH', 'RANGE_MATCH'])
    expect(typesOf({ ...x, notFinite: 1 })).toEqual(['MISSING_VALUES'])
    expect(suggested(x, { ...x, notFinite: 1 }, x)[1]).toMatchObject({ failureRate: 0.5 })
  })

  it('given a source that does not know the classes of RE2, then no pattern is suggested', () => {
    const forms = { patterns: [{ pattern: 'AA-999', count: rows }], minLength: 6, maxLength: 6, distinct: rows / 2 }
    const latest = profile(column('code', 'VARCHAR', forms))
    const kinds = (hasRe2: boolean) => suggestionsFor(latest, [], { hasRe2 }).map((one) => one.measurementType)
    expect(kinds(true)).toContain('REGEX_MATCH')
    expect(kinds(false)).not.toContain('REGEX_MATCH')
  })

  it('given earlier profiles, then each item says how many of them it would have failed, and the rest rank higher', () => {
    const earlier = [status('open', 'paid'), status('open', 'void'), status('open'), status('open', 'refunded')]
    const found = suggested(status('open', 'paid', 'late'), ...earlier)
    expect(found.map((one) => [one.measurementType, one.failureRate, one.partitions, one.rank])).toEqual([
      ['MISSING_VALUES', 0, 4, 1],
      ['SIZE_CHECK', 0.25, 4, 2],
      ['VALUES_IN_LIST', 0.5, 4, 3],
    ])
    const never = Array.from({ length: 3 }, () => status('void'))
    expect(typesOf(status('open', 'paid', 'late'), ...never)).not.toContain('VALUES_IN_LIST')
  })

  it('given no earlier profile of the column with its type, then the failure rate is unknown', () => {
    const of = (dataType: string) => column('id', dataType, { min: 1, max: 9 })
    expect(suggested(of('BIGINT'), of('VARCHAR'))[0]).toMatchObject({ failureRate: null, partitions: 0 })
  })

  it('given codes of few forms, then they keep these forms, and text that looks like a type can be converted', () => {
    const codes = (...forms: string[]) =>
      column('code', 'VARCHAR', {
        ...{ blank: 0, inferredType: 'TEXT' },
        patterns: forms.map((pattern) => ({ pattern, count: rows / forms.length })),
      })
    expect(suggested(codes('AA-999', 'A.9'), codes('AA-999'), codes('A.9', 'AA-999', 'aa-99', 'A-9')).slice(1)).toEqual(
      [
        expect.objectContaining({
          measurementType: 'REGEX_MATCH',
          value: { pattern: '(?:\\p{Lu}\\.\\p{Nd}|\\p{Lu}{2}-\\p{Nd}{3})' },
          failureRate: 0.5,
        }),
      ],
    )
    expect(typesOf(codes('A', 'AA', 'AAA', 'AAAA'))).toEqual(['MISSING_VALUES'])
    expect(typesOf(codes('aaa'))).toEqual(['MISSING_VALUES'])
    const ids = { ...codes('999'), inferredType: 'INTEGER', maxLength: 3, minLength: 3 }
    const [, ...found] = suggested(ids, { ...ids, inferredType: 'DECIMAL' })
    expect(found.map((one) => [one.measurementType, one.failureRate])).toEqual([
      ['SIZE_CHECK', 0],
      ['REGEX_MATCH', 0],
    ])
    expect(suggested(ids)[1]).toMatchObject({ measurementType: 'DATATYPE_MATCH', value: { dataType: 'BIGINT' } })
  })

  it('given a protected column, then suggestions use its counts only', () => {
    const masked = { ...status('open', 'paid'), masked: true, distinct: 100, min: '***', max: '***', mostFrequent: [] }
    expect(typesOf(masked)).toEqual(['MISSING_VALUES', 'DISTINCTNESS_CHECK'])
  })

  it('given a column that could not be read, an empty table or long text, then nothing depends on it', () => {
    expect(suggested(column('a', 'VARCHAR', { error: 'broken' }))).toEqual([])
    expect(suggestionsFor({ rows: 0, columns: [column('a', 'VARCHAR')] }, [])).toEqual([])
    const long = status(`${'x'.repeat(256)}…`, 'y')
    expect(typesOf(long)).toEqual(['MISSING_VALUES'])
  })
})

describe('the id of a suggestion', () => {
  it('gives the suggestion back for its asset only', () => {
    const [first] = suggested(status('öffen', 'paid'))
    if (first === undefined) throw new Error('nothing was suggested')
    const { columnName, measurementType, value, resultThreshold } = first
    const id = suggestionId(11, first)
    expect(suggestionOf(11, id)).toEqual({ columnName, measurementType, value, resultThreshold })
    for (const wrong of [suggestionOf(12, id), suggestionOf(11, `${id}x`.slice(3)), suggestionOf(11, '')])
      expect(wrong).toBeUndefined()
  })
})

import type { ItemRecord } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { itemOf } from '../item-fixture.ts'
import type { References } from '../references.ts'
import { scoreKey, seriesKey } from './series-key.ts'

const frame = { assetId: 11, scope: 'FULL' as const, markKey: null, filter: null }
const item = (changes: Partial<ItemRecord> = {}) =>
  itemOf({ measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'amount', ...changes })
const template = (
  code: string,
  variables: References['variables'] = {},
  parameters: string[] = [],
): Pick<References, 'udf' | 'variables' | 'views'> => ({
  udf: () => ({
    name: 'n',
    language: 'EXPRESSION',
    code,
    variables: parameters.map((key) => ({ key, value: '1', isColumnVariable: false })),
  }),
  variables,
  views: () => [],
})
const noReferences = template('')
const scored = (key: string, changes: Partial<ItemRecord> = {}) => ({ key, item: item(changes) })
const keyOf = (of: ItemRecord, figure: 'NUMBER' | 'PERCENTAGE' = 'NUMBER') => seriesKey(of, figure, frame, noReferences)

describe('the series of an item', () => {
  it.each<[string, Partial<ItemRecord>]>([
    ['id', { id: 99 }],
    ['name', { name: 'other' }],
    ['weight', { weightage: 5 }],
    ['threshold', { resultThreshold: 50, thresholdConfig: { type: 'ANOMALY', success: null, warning: null } }],
    ['version', { ruleVersion: 8 }],
    ['order', { executionOrder: 3 }],
    ['blank filter', { filter: ' ' }],
    ['condition on its number', { value: { operator: 'GT', value: 5 } }],
  ])('does not depend on: %s', (_, changes) => {
    expect(keyOf(item(changes))).toBe(keyOf(item()))
  })
  it.each<[string, Partial<ItemRecord>]>([
    ['measurement', { measurementType: 'BUSINESS_MEASURE' }],
    ['column', { columnName: 'price' }],
    ['aggregate', { aggregateType: 'AVG' }],
    ['expression', { ruleExpression: 'amount * 2' }],
    ['filter', { filter: 'amount > 0' }],
  ])('depends on: %s', (_, changes) => {
    expect(keyOf(item(changes))).not.toBe(keyOf(item()))
  })
  it('of a percentage depends on the pattern, list or parameters, and on the code of a template, but not on its name', () => {
    const regex = (value: ItemRecord['value']) => keyOf(item({ measurementType: 'REGEX_MATCH', value }), 'PERCENTAGE')
    expect(regex({ pattern: 'a' })).not.toBe(regex({ pattern: 'b' }))
    expect(regex({ pattern: 'a', partial: null })).toBe(regex({ pattern: 'a' }))
    const udf = (value: object, code: string) =>
      seriesKey(
        item({ measurementType: 'UDF_PREDICATE', value: { udfId: 7, ...value } }),
        'PERCENTAGE',
        frame,
        template(code),
      )
    expect(udf({ udfName: 'old' }, 'x > 1')).toBe(udf({ udfName: 'new' }, 'x > 1'))
    expect(udf({}, 'x > 1')).not.toBe(udf({}, 'x > 2'))
    expect(udf({ parameters: { a: 1 } }, 'x')).not.toBe(udf({ parameters: { a: 2 } }, 'x'))
    expect(udf({ parameters: { a: 1, b: 2 } }, 'x')).toBe(udf({ parameters: { b: 2, a: 1 } }, 'x'))
  })
  it('depends on the table, the definition of a view, the scope, the marker and the filter of the policy', () => {
    const keys = [
      frame,
      { ...frame, assetId: 12 },
      { ...frame, view: 'a' },
      { ...frame, view: 'b' },
      { ...frame, scope: 'INCREMENTAL' as const, markKey: 'a' },
      { ...frame, scope: 'INCREMENTAL' as const, markKey: 'b' },
      { ...frame, filter: 'a' },
    ]
    expect(new Set(keys.map((one) => seriesKey(item(), 'NUMBER', one, noReferences))).size).toBe(keys.length)
  })
  it('depends on the definitions of the views that it reads by id or in SQL, and on no others', () => {
    const key = (of: ItemRecord, shown: string) => {
      const views: References['views'] = ({ lookupAssetIds: [id], selects: [sql] }) =>
        id === 9 || sql === 'SELECT * FROM v' ? [shown] : []
      return seriesKey(of, 'PERCENTAGE', frame, { ...noReferences, views })
    }
    const lookup = item({ measurementType: 'VALUES_IN_LOOKUP', value: { lookupAssetId: 9, lookupColumnName: 'id' } })
    const sql = item({ measurementType: 'SQL_METRIC', value: { sql: 'SELECT * FROM v', operator: 'GT', value: 1 } })
    expect(key(lookup, 'a')).not.toBe(key(lookup, 'b'))
    expect(key(sql, 'a')).not.toBe(key(sql, 'b'))
    expect(key(item(), 'a')).toBe(key(item(), 'b'))
  })
  it('of a score depends on the items that count, but not on their order', () => {
    const [a, b] = [scored('a'), scored('b')]
    expect(scoreKey('RULES', [a, b], frame)).toBe(scoreKey('RULES', [b, a], frame))
    expect(scoreKey('RULES', [a], frame)).not.toBe(scoreKey('RULES', [a, b], frame))
    expect(scoreKey('RULES', [a], frame)).not.toBe(scoreKey('WEIGHTAGE', [a], frame))
  })
  it('of a score depends on weights and isWarning, and on thresholds that decide whether an item passes', () => {
    const rows = { measurementType: 'MISSING_VALUES' as const }
    const another = { thresholdConfig: { type: 'ANOMALY' as const, success: null, warning: null } }
    const score = (changes: Partial<ItemRecord>, strategy: 'RULES' | 'WEIGHTAGE' = 'WEIGHTAGE') =>
      scoreKey(strategy, [scored('a', changes)], frame)
    expect(score({ weightage: 5 })).not.toBe(score({}))
    expect(score({ weightage: 5 }, 'RULES')).toBe(score({}, 'RULES'))
    expect(score({ ...rows, isWarning: true })).not.toBe(score(rows))
    expect(score(another)).not.toBe(score({}))
    expect(score({ ...rows, ...another })).toBe(score(rows))
    expect(score({ ...rows, ...another, isWarning: true })).not.toBe(score({ ...rows, isWarning: true }))
  })
  it.each<[string, Partial<ItemRecord>, string | null]>([
    ['filter', { filter: 'amount > ${least}' }, null],
    ['expression', { ruleExpression: 'amount - ${least}' }, null],
    ['SQL', { measurementType: 'SQL_METRIC', value: { sql: 'SELECT ${least}' } }, null],
    ['filter of the policy', {}, 'amount > ${least}'],
  ])('depends on the values of the variables in its %s, and on no others', (_, changes, filter) => {
    const key = (variables: References['variables']) =>
      seriesKey(item(changes), 'NUMBER', { ...frame, filter }, template('', variables))
    expect(key({ least: '1' })).not.toBe(key({ least: '2' }))
    expect(key({ least: '1', other: '1' })).toBe(key({ least: '1', other: '2' }))
  })
  it('depends on the variables in the code of a template, except its parameters', () => {
    const udf = item({ measurementType: 'UDF_PREDICATE', value: { udfId: 7 } })
    const key = (least: string, parameters: string[]) =>
      seriesKey(udf, 'PERCENTAGE', frame, template('amount > ${least}', { least }, parameters))
    expect(key('1', [])).not.toBe(key('2', []))
    expect(key('1', ['least'])).toBe(key('2', ['least']))
  })
})

import { describe, expect, it } from 'vitest'
import { itemOf } from './item-fixture.ts'
import { itemReadsProtected, markerReadsProtected, type ProtectedTable } from './protected-reads.ts'

const column = { key: 'c', value: 'id', isColumnVariable: true }
const templates = [
  { code: '', variables: [] },
  { code: `\${c} > \${limit}`, variables: [column] },
  { code: 'ssn > 1', variables: [] },
]
const table: ProtectedTable = {
  columns: [
    { name: 'id', dataType: 'BIGINT' },
    { name: 'ssn', dataType: 'BIGINT' },
    { name: 'at', dataType: 'TIMESTAMP' },
  ],
  mask: { columns: new Set(['ssn']), nested: false },
  udf: (id) => templates[id],
  hidesLookup: (assetId, columnName) => assetId === 7 && columnName === 'pin',
  hidesTable: (name) => name === undefined || name === 'pins.csv',
}
type Item = Parameters<typeof itemOf>[0]
const reads = (item: Item) => itemReadsProtected(itemOf(item), table)
const lookup = (lookupAssetId: number, lookupColumnName: string): Item => ({
  measurementType: 'VALUES_IN_LOOKUP',
  value: { lookupAssetId, lookupColumnName },
})
const sql = (text: string): Item => ({ measurementType: 'SQL_METRIC', value: { sql: text } })
const udf = (udfId: number, parameters: object[] = []): Item => ({
  measurementType: 'UDF_PREDICATE',
  value: { udfId, parameters },
})

describe('items that depend on protected values', () => {
  it.each<[string, Item]>([
    ['a pattern', { measurementType: 'REGEX_MATCH', columnName: 'ssn', value: { pattern: '^9' } }],
    ['a list', { measurementType: 'VALUES_IN_LIST', columnName: 'ssn', value: { values: [1] } }],
    ['a range', { measurementType: 'RANGE_MATCH', columnName: 'ssn', value: { max: 5 } }],
    ['a length', { measurementType: 'SIZE_CHECK', columnName: 'ssn', value: { max: 5 } }],
    ['a type', { measurementType: 'DATATYPE_MATCH', columnName: 'ssn', value: { dataType: 'DATE' } }],
    ['a lookup of it', { ...lookup(8, 'x'), columnName: 'ssn' }],
    ['a lookup in it', { ...lookup(7, 'pin'), columnName: 'id' }],
    ['a sum', { measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'ssn' }],
    [
      'a conditional count',
      { measurementType: 'BUSINESS_MEASURE', aggregateType: 'COUNT', ruleExpression: 'nullif(SSN, 1)' },
    ],
    ['an expression', { measurementType: 'CUSTOM', ruleExpression: '"Ssn" = 1' }],
    ['a filter', { measurementType: 'MISSING_VALUES', columnName: 'id', filter: 'ssn = 1' }],
    ['SQL', sql('SELECT max(ssn) FROM asset')],
    ['SQL of another table', sql('SELECT max(x) FROM "pins.csv"')],
    ['a template', udf(2)],
    ['a template of it', udf(1, [{ key: 'c', value: 'ssn' }])],
    ['a template that is not known', udf(3)],
  ])('given %s, then it does', (_, item) => expect(reads(item)).toBe(true))

  it.each<[string, Item]>([
    ['missing values', { measurementType: 'MISSING_VALUES', columnName: 'ssn' }],
    ['distinct values', { measurementType: 'DISTINCTNESS_CHECK', columnName: 'ssn' }],
    ['duplicates', { measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['ssn'] } }],
    ['a count', { measurementType: 'AGGREGATES', aggregateType: 'COUNT', columnName: 'ssn' }],
    ['another column', { measurementType: 'RANGE_MATCH', columnName: 'id', value: { max: 5 }, filter: 'id > 2' }],
    ['SQL on others', sql('SELECT max(id) FROM asset')],
    ['a template of another', udf(1)],
  ])('given %s, then it does not', (_, item) => expect(reads(item)).toBe(false))

  it('given SQL that cannot be read, then it does, also where nothing of the table itself is protected', () => {
    const item = itemOf(sql("SELECT max(id) FROM asset WHERE note = 'open"))
    expect(itemReadsProtected(item, { ...table, mask: null })).toBe(true)
  })

  it('given markers, then those on a protected column do', () => {
    const of = (marker: object) => markerReadsProtected(marker, table)
    expect(of({ type: 'bound', idColumnName: 'ssn', fromId: 1 })).toBe(true)
    expect(of({ type: 'DateTimeMarkerConfig', columnName: 'at' })).toBe(false)
    expect(of({ type: 'boundFileEvent', dateColumnName: '' })).toBe(false)
  })
})

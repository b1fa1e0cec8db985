import type { Touched } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { itemOf } from './item-fixture.ts'
import { readsOf } from './measurements/item-reads.ts'
import {
  filterReadsProtected,
  type MaskedTable,
  markerReadsProtected,
  type ProtectedTable,
  readsProtected,
} from './protected-reads.ts'

const table: ProtectedTable = {
  columns: [
    { name: 'id', dataType: 'BIGINT' },
    { name: 'ssn', dataType: 'BIGINT' },
    { name: 'at', dataType: 'TIMESTAMP' },
  ],
  mask: { columns: new Set(['ssn']), nested: false },
  hidesLookup: (assetId, columnName) => assetId === 7 && columnName === 'pin',
  hidesTable: (name) => name === undefined || name === 'pins.csv',
}
type Item = Parameters<typeof itemOf>[0]
/** The engine's analysis of SQL. */
const touching = (columns: string[], tables: string[] = []): Touched => {
  return { columns, fields: [], allColumns: false, tables }
}
const reads = (item: Item, touched?: Touched) => readsProtected(readsOf(itemOf(item)), touched, table)
const lookup = (lookupAssetId: number, lookupColumnName: string): Item => ({
  measurementType: 'VALUES_IN_LOOKUP',
  value: { lookupAssetId, lookupColumnName },
})
const sql = (text: string): Item => ({ measurementType: 'SQL_METRIC', value: { sql: text } })
const udf: Item = { measurementType: 'UDF_PREDICATE', value: { udfId: 1 } }
const of = (item: Item, columnName: string): Item => ({ ...item, columnName })
const filtered: Item = { measurementType: 'MISSING_VALUES', columnName: 'id', filter: 'written' }
const measure: Item = { measurementType: 'BUSINESS_MEASURE', aggregateType: 'COUNT', ruleExpression: 'written' }
const custom: Item = { measurementType: 'CUSTOM', ruleExpression: 'written' }
const sum: Item = { measurementType: 'AGGREGATES', aggregateType: 'SUM' }

describe('items that depend on protected values', () => {
  it.each<[string, Item, Touched?]>([
    ['a pattern', { measurementType: 'REGEX_MATCH', columnName: 'ssn', value: { pattern: '^9' } }],
    ['a list', { measurementType: 'VALUES_IN_LIST', columnName: 'ssn', value: { values: [1] } }],
    ['a range', { measurementType: 'RANGE_MATCH', columnName: 'ssn', value: { max: 5 } }],
    ['a length', { measurementType: 'SIZE_CHECK', columnName: 'ssn', value: { max: 5 } }],
    ['a type', { measurementType: 'DATATYPE_MATCH', columnName: 'ssn', value: { dataType: 'DATE' } }],
    ['a lookup of a protected column', of(lookup(8, 'x'), 'ssn')],
    ['a lookup in a protected column', of(lookup(7, 'pin'), 'id')],
    ['a sum', of(sum, 'ssn')],
    ['a conditional count', measure, touching(['ssn'])],
    ['an expression', custom, touching(['id', 'ssn'])],
    ['an expression whose columns are unknown', custom],
    [
      'the freshness of an expression',
      { measurementType: 'FRESHNESS_CHECK', ruleExpression: 'written' },
      touching(['ssn']),
    ],
    ['a filter', filtered, touching(['ssn'])],
    ['a filter whose columns are unknown', filtered],
    ['SQL', sql('SELECT max(ssn) FROM asset'), touching(['ssn'], ['asset'])],
    ['SQL whose columns are unknown', sql('SELECT 1')],
    ['SQL of another table', sql('SELECT max(id) FROM "pins.csv"'), touching(['id'], ['pins.csv'])],
    [
      'SQL of another table, in another case',
      sql('SELECT max(id) AS "pins.csv" FROM "PINS.csv"'),
      touching(['id'], ['PINS.csv']),
    ],
    ['a template', udf, touching(['ssn'])],
    ['a template of a column', of(udf, 'ssn'), touching([])],
    ['an unknown template', udf],
    ['a lookup that cannot be read', { measurementType: 'VALUES_IN_LOOKUP', value: {} }],
  ])('given %s, then it depends on protected values', (_, item, touched) => expect(reads(item, touched)).toBe(true))

  it.each<[string, Item, Touched?]>([
    ['missing values', { measurementType: 'MISSING_VALUES', columnName: 'ssn' }],
    ['distinct values', { measurementType: 'DISTINCTNESS_CHECK', columnName: 'ssn' }],
    ['duplicates', { measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['ssn'] } }],
    ['a count', { ...of(sum, 'ssn'), aggregateType: 'COUNT' }],
    ['another column', { ...filtered, measurementType: 'RANGE_MATCH', value: { max: 5 } }, touching(['id'])],
    ['SQL on other columns', sql('SELECT max(id) FROM asset'), touching(['id'], ['ASSET'])],
    ['a template of another column', udf, touching(['id'])],
  ])('given %s, then it does not depend on protected values', (_, item, touched) =>
    expect(reads(item, touched)).toBe(false),
  )

  it('given SQL that cannot be parsed, then it counts as protected, even if the table has no protected column', () => {
    const item = itemOf(sql("SELECT max(id) FROM asset WHERE note = 'open"))
    expect(readsProtected(readsOf(item), undefined, { ...table, mask: null })).toBe(true)
  })

  it('given a filter, then unknown columns count as protected, and an empty filter does not', () => {
    const touched = [undefined, touching(['ssn']), touching(['id'])]
    expect(touched.map((one) => filterReadsProtected('written', one, table))).toEqual([true, true, false])
    expect(filterReadsProtected(' ', undefined, table)).toBe(false)
    expect(filterReadsProtected('written', undefined, { ...table, mask: null })).toBe(false)
  })

  it('given a marker on a protected column, then it counts as protected', () => {
    const reads = (marker: object) => markerReadsProtected(marker, table)
    expect(reads({ type: 'bound', idColumnName: 'ssn', fromId: 1 })).toBe(true)
    expect(reads({ type: 'DateTimeMarkerConfig', columnName: 'at' })).toBe(false)
    expect(reads({ type: 'boundFileEvent', dateColumnName: '' })).toBe(false)
    expect(reads({ type: 'partition', partition: 'id=1/ssn=123' })).toBe(true)
    expect(reads({ type: 'partition', partition: '%73sn=123' })).toBe(true)
    expect(reads({ type: 'partition', partition: 'id=1' })).toBe(false)
    const born: MaskedTable = {
      columns: [{ name: 'Year', dataType: 'INTEGER' }],
      mask: 'all',
    }
    expect(markerReadsProtected({ type: 'DayMonthYearBasedPartitionMarkerConfig', fromDate: '1980-01-01' }, born)).toBe(
      true,
    )
  })
})

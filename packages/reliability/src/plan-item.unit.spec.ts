import type { ItemRecord } from '@assay/contracts'
import { metric } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { itemOf } from './item-fixture.ts'
import { planItem } from './plan-item.ts'
import { thresholdRecordOf } from './threshold.ts'

const columns = [
  { name: 'id', dataType: 'BIGINT' },
  { name: 'amount', dataType: 'DECIMAL(18,3)' },
  { name: 'note', dataType: 'VARCHAR' },
  { name: 'day', dataType: 'DATE' },
  { name: 'at', dataType: 'TIMESTAMP' },
]
type Given = Pick<ItemRecord, 'measurementType'> & Partial<ItemRecord>
const rowsBelow = (success: number) =>
  thresholdRecordOf({ type: 'ABSOLUTE', config: { direction: 'BELOW', unit: 'ROWS', success, warning: undefined } })
const plan = (given: Given) => planItem(itemOf(given), columns)
const sql = (text: string) => ({ sql: text, variables: {} })

describe('the metric of an item', () => {
  const rows: [string, Given, unknown][] = [
    [
      'missing',
      { measurementType: 'MISSING_VALUES', columnName: 'note' },
      { kind: 'missing', column: 'note', blankToo: false },
    ],
    [
      'blank',
      { measurementType: 'MISSING_VALUES', columnName: 'note', value: { addEmptyCheck: true } },
      { kind: 'missing', column: 'note', blankToo: true },
    ],
    [
      'null as absent',
      { measurementType: 'MISSING_VALUES', columnName: 'note', value: { addEmptyCheck: null } },
      { kind: 'missing', column: 'note', blankToo: false },
    ],
    [
      'regex',
      { measurementType: 'REGEX_MATCH', columnName: 'note', value: { pattern: 'a+' } },
      { kind: 'regex', column: 'note', pattern: 'a+', partial: false },
    ],
    [
      'list',
      { measurementType: 'VALUES_IN_LIST', columnName: 'note', value: { values: ['a', 1, true], negate: true } },
      { kind: 'in-list', column: 'note', values: ['a', 1, true], negate: true },
    ],
    [
      'type',
      { measurementType: 'DATATYPE_MATCH', columnName: 'note', value: { dataType: 'long' } },
      { kind: 'datatype', column: 'note', dataType: 'BIGINT' },
    ],
    [
      'decimal type',
      { measurementType: 'DATATYPE_MATCH', columnName: 'note', value: { dataType: 'decimal(10, 2)' } },
      { kind: 'datatype', column: 'note', dataType: 'DECIMAL(10,2)' },
    ],
    [
      'range',
      { measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '0.10', max: 5 } },
      {
        kind: 'range',
        column: 'amount',
        min: { kind: 'number', text: '0.10' },
        max: { kind: 'number', text: '5' },
        inclusive: true,
      },
    ],
    [
      'range of days',
      {
        measurementType: 'RANGE_MATCH',
        columnName: 'at',
        value: { min: '2026-01-01', max: '2026-01-01T12:00:00+02:00' },
      },
      {
        kind: 'range',
        column: 'at',
        min: { kind: 'date', text: '2026-01-01' },
        max: { kind: 'time', text: '2026-01-01T10:00:00Z' },
        inclusive: true,
      },
    ],
    [
      'range of hours of one day',
      { measurementType: 'RANGE_MATCH', columnName: 'at', value: { min: '2026-01-01T12:00:00', max: '2026-01-01' } },
      {
        kind: 'range',
        column: 'at',
        min: { kind: 'time', text: '2026-01-01T12:00:00Z' },
        max: { kind: 'date', text: '2026-01-01' },
        inclusive: true,
      },
    ],
    [
      'length',
      { measurementType: 'SIZE_CHECK', columnName: 'note', value: { max: 3 } },
      { kind: 'text-length', column: 'note', max: 3 },
    ],
    [
      'precision',
      { measurementType: 'PRECISION_SCALE_CHECK', columnName: 'amount', value: { precision: 5, scale: 2 } },
      { kind: 'precision-scale', column: 'amount', precision: 5, scale: 2 },
    ],
    ['duplicates of all', { measurementType: 'DUPLICATE_ROWS_CHECK' }, { kind: 'duplicate', columns: null }],
    [
      'duplicates of some',
      { measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['id', 'day'] } },
      { kind: 'duplicate', columns: ['id', 'day'] },
    ],
    [
      'duplicates of the column',
      { measurementType: 'DUPLICATE_ROWS_CHECK', columnName: 'id' },
      { kind: 'duplicate', columns: ['id'] },
    ],
    [
      'custom',
      { measurementType: 'CUSTOM', ruleExpression: 'amount > 0' },
      { kind: 'expression', expression: sql('amount > 0') },
    ],
  ]
  it.each(rows)('%s', (_, given, predicate) => {
    const planned = plan({ ...given, filter: 'id > 3' })
    expect(planned).toEqual({ metric: { kind: 'rows', id: 7, predicate, filter: sql('id > 3') } })
    expect('metric' in planned && metric.safeParse(planned.metric).success).toBe(true)
  })

  const others: [string, Given, unknown][] = [
    [
      'distinct',
      { measurementType: 'DISTINCTNESS_CHECK', columnName: 'id' },
      { kind: 'distinct', id: 7, column: 'id' },
    ],
    [
      'newest',
      { measurementType: 'FRESHNESS_CHECK', columnName: 'at', value: { maxAge: 'P1DT12H' } },
      { kind: 'newest', id: 7, column: 'at' },
    ],
    [
      'count of rows',
      { measurementType: 'AGGREGATES', aggregateType: 'COUNT', value: { operator: 'GTE', value: 1 } },
      { kind: 'aggregate', id: 7, fn: 'COUNT', column: null },
    ],
    [
      'max of a day',
      {
        measurementType: 'AGGREGATES',
        aggregateType: 'MAX',
        columnName: 'day',
        value: { operator: 'BETWEEN', min: '2026-01-01', max: '2026-02-01' },
      },
      { kind: 'aggregate', id: 7, fn: 'MAX', column: 'day' },
    ],
    [
      'sum of an expression',
      {
        measurementType: 'BUSINESS_MEASURE',
        aggregateType: 'SUM',
        ruleExpression: 'amount * id',
        value: { operator: 'LT', value: '9' },
      },
      { kind: 'aggregate-expression', id: 7, fn: 'SUM', expression: sql('amount * id') },
    ],
    [
      'sum of a column',
      {
        measurementType: 'BUSINESS_MEASURE',
        aggregateType: 'SUM',
        columnName: 'amount',
        value: { operator: 'LT', value: '9' },
      },
      { kind: 'aggregate', id: 7, fn: 'SUM', column: 'amount' },
    ],
    [
      'select',
      { measurementType: 'SQL_METRIC', value: { sql: 'SELECT count(*) FROM asset' } },
      { kind: 'select', id: 7, select: sql('SELECT count(*) FROM asset') },
    ],
  ]
  it.each(others)('%s', (_, given, expected) => {
    const planned = plan(given)
    expect(planned).toEqual({ metric: expected })
    expect('metric' in planned && metric.safeParse(planned.metric).success).toBe(true)
  })
})

describe('the error for an invalid definition names the field', () => {
  const cases: [Given, string, RegExp][] = [
    [{ measurementType: 'MISSING_VALUES' }, 'columnName', /is needed/],
    [{ measurementType: 'MISSING_VALUES', columnName: 'nope' }, 'columnName', /no column 'nope'/],
    [
      { measurementType: 'MISSING_VALUES', columnName: 'note', value: { addEmptyCheck: 'yes' } },
      'value.addEmptyCheck',
      /true or false/,
    ],
    [{ measurementType: 'REGEX_MATCH', columnName: 'note' }, 'value.pattern', /is needed/],
    [{ measurementType: 'REGEX_MATCH', columnName: 'note', value: { pattern: 5 } }, 'value.pattern', /must be text/],
    [{ measurementType: 'VALUES_IN_LIST', columnName: 'note', value: { values: [] } }, 'value.values', /at least one/],
    [
      { measurementType: 'VALUES_IN_LIST', columnName: 'amount', value: { values: [1, '2.50', 'gold'] } },
      'value.values[2]',
      /"gold" is never equal to a value of the column 'amount', which is DECIMAL/,
    ],
    [{ measurementType: 'VALUES_IN_LIST', columnName: 'id', value: { values: [true] } }, 'value.values[0]', /never/],
    [
      { measurementType: 'VALUES_IN_LIST', columnName: 'day', value: { values: ['Monday'] } },
      'value.values[0]',
      /DATE/,
    ],
    [
      {
        measurementType: 'AGGREGATES',
        columnName: 'amount',
        aggregateType: 'SUM',
        value: { operator: 'GT', value: 1 },
        thresholdConfig: rowsBelow(5),
      },
      'thresholdConfig.config.unit',
      /AGGREGATES measures one value/,
    ],
    [
      { measurementType: 'MISSING_VALUES', columnName: 'note', thresholdConfig: rowsBelow(0.5) },
      'thresholdConfig.config.success',
      /whole number/,
    ],
    [
      { measurementType: 'VALUES_IN_LIST', columnName: 'note', value: { values: ['a', {}] } },
      'value.values[1]',
      /must be text/,
    ],
    [
      { measurementType: 'DATATYPE_MATCH', columnName: 'note', value: { dataType: 'BLOBBY' } },
      'value.dataType',
      /one of/,
    ],
    [{ measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: 5, max: 4 } }, 'value.min', /above/],
    [
      { measurementType: 'RANGE_MATCH', columnName: 'day', value: { min: '2026-02-01', max: '2026-01-31' } },
      'value.min',
      /above/,
    ],
    [
      {
        measurementType: 'RANGE_MATCH',
        columnName: 'amount',
        value: { min: '12345678901234567890.02', max: '12345678901234567890.01' },
      },
      'value.min',
      /above/,
    ],
    [{ measurementType: 'RANGE_MATCH', columnName: 'amount', value: {} }, 'value', /min, max/],
    [
      { measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '2026-01-01' } },
      'value.min',
      /cannot be compared/,
    ],
    [
      { measurementType: 'RANGE_MATCH', columnName: 'day', value: { min: '31.12.2026' } },
      'value.min',
      /cannot be compared with the column 'day' of type DATE: write an ISO 8601 date, such as 2026-12-31$/,
    ],
    [{ measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: true } }, 'value.min', /number or text/],
    [{ measurementType: 'SIZE_CHECK', columnName: 'note', value: { min: 4, max: 3 } }, 'value.min', /above/],
    [{ measurementType: 'SIZE_CHECK', columnName: 'note', value: { min: -1 } }, 'value.min', /at least 0/],
    [
      { measurementType: 'PRECISION_SCALE_CHECK', columnName: 'amount', value: { precision: 2, scale: 3 } },
      'value.scale',
      /above/,
    ],
    [{ measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['id', 'x'] } }, 'value.columns', /no column 'x'/],
    [{ measurementType: 'FRESHNESS_CHECK', columnName: 'at', value: { maxAge: '1 day' } }, 'value.maxAge', /ISO 8601/],
    [{ measurementType: 'FRESHNESS_CHECK', columnName: 'at', value: { maxAge: 'P' } }, 'value.maxAge', /ISO 8601/],
    [{ measurementType: 'FRESHNESS_CHECK', columnName: 'id', value: { maxAge: 'P1D' } }, 'columnName', /not a date/],
    [
      { measurementType: 'FRESHNESS_CHECK', columnName: 'note', value: { maxAge: 'P1D', format: 'dd.QQ' } },
      'value.format',
      /yyyy/,
    ],
    [{ measurementType: 'AGGREGATES', columnName: 'id', value: { operator: 'EQ', value: 1 } }, 'aggregateType', /SUM/],
    [
      { measurementType: 'AGGREGATES', aggregateType: 'SUM', value: { operator: 'EQ', value: 1 } },
      'columnName',
      /is needed/,
    ],
    [
      { measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'id', value: { operator: '>', value: 1 } },
      'value.operator',
      /EQ, NEQ/,
    ],
    [
      { measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'id', value: { operator: 'GT' } },
      'value.value',
      /is needed/,
    ],
    [
      {
        measurementType: 'AGGREGATES',
        aggregateType: 'SUM',
        columnName: 'id',
        value: { operator: 'BETWEEN', min: 3, max: 2 },
      },
      'value.min',
      /above/,
    ],
    [
      {
        measurementType: 'AGGREGATES',
        aggregateType: 'SUM',
        columnName: 'id',
        value: { operator: 'GT', value: 'many' },
      },
      'value.value',
      /not a number/,
    ],
    [{ measurementType: 'CUSTOM' }, 'ruleExpression', /is needed/],
    [{ measurementType: 'SQL_METRIC' }, 'value.sql', /is needed/],
    [{ measurementType: 'SQL_METRIC', value: { sql: 'SELECT 1' }, filter: 'id > 1' }, 'filter', /WHERE/],
    [{ measurementType: 'TAG_MATCH', value: {} }, 'value.tag', /needed/],
    [{ measurementType: 'TAG_MATCH', value: { tag: 'x' }, filter: 'id > 1' }, 'filter', /no rows/],
    [{ measurementType: 'VALUES_IN_LOOKUP', columnName: 'id', value: {} }, 'value.lookupAssetId', /needed/],
    [{ measurementType: 'UDF_PREDICATE', value: {} }, 'value.udfId', /needed/],
    [{ measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['id', 'id'] } }, 'value.columns', /twice/],
    [
      { measurementType: 'RANGE_MATCH', columnName: 'id', value: { min: 1, max: '1.0', inclusive: false } },
      'value.inclusive',
      /no value could pass/,
    ],
  ]
  it.each(cases)('%j → %s', (given, path, message) => {
    expect(plan(given)).toEqual({ problem: { path, message: expect.stringMatching(message) } })
  })

  it('thresholds in a wrong order', () => {
    const thresholdConfig = {
      type: 'ABSOLUTE' as const,
      success: 90,
      warning: 95,
      config: { direction: 'ABOVE', success: 90, warning: 95 },
    }
    expect(plan({ measurementType: 'DUPLICATE_ROWS_CHECK', thresholdConfig })).toMatchObject({
      problem: { path: 'thresholdConfig.config.warning' },
    })
  })
})

import type { MeasurementType } from './policy-types.ts'

/** An item of each kind as somebody would write it, for the documentation. */
export const itemExamples: Readonly<Record<MeasurementType, object>> = {
  MISSING_VALUES: { measurementType: 'MISSING_VALUES', columnName: 'email', value: { addEmptyCheck: true } },
  REGEX_MATCH: { measurementType: 'REGEX_MATCH', columnName: 'email', value: { pattern: '[^@]+@[^@]+' } },
  VALUES_IN_LIST: { measurementType: 'VALUES_IN_LIST', columnName: 'status', value: { values: ['open', 'paid'] } },
  VALUES_IN_LOOKUP: {
    measurementType: 'VALUES_IN_LOOKUP',
    columnName: 'country',
    value: { lookupAssetId: 42, lookupColumnName: 'code' },
  },
  DATATYPE_MATCH: { measurementType: 'DATATYPE_MATCH', columnName: 'zip', value: { dataType: 'INTEGER' } },
  RANGE_MATCH: { measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: 0, max: 1000 } },
  SIZE_CHECK: { measurementType: 'SIZE_CHECK', columnName: 'country', value: { min: 2, max: 2 } },
  PRECISION_SCALE_CHECK: {
    measurementType: 'PRECISION_SCALE_CHECK',
    columnName: 'price',
    value: { precision: 10, scale: 2 },
  },
  DISTINCTNESS_CHECK: { measurementType: 'DISTINCTNESS_CHECK', columnName: 'customer_id' },
  DUPLICATE_ROWS_CHECK: { measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['order_id', 'line'] } },
  FRESHNESS_CHECK: { measurementType: 'FRESHNESS_CHECK', columnName: 'loaded_at', value: { maxAge: 'PT36H' } },
  TAG_MATCH: { measurementType: 'TAG_MATCH', columnName: 'email', value: { tag: 'pii' } },
  AGGREGATES: { measurementType: 'AGGREGATES', aggregateType: 'COUNT', value: { operator: 'GTE', value: 1000 } },
  BUSINESS_MEASURE: {
    measurementType: 'BUSINESS_MEASURE',
    aggregateType: 'SUM',
    ruleExpression: 'price * quantity',
    value: { operator: 'BETWEEN', min: 1000, max: 2000 },
  },
  CUSTOM: { measurementType: 'CUSTOM', ruleExpression: 'shipped_at IS NULL OR shipped_at >= ordered_at' },
  SQL_METRIC: {
    measurementType: 'SQL_METRIC',
    value: { sql: 'SELECT count(DISTINCT country) FROM asset', operator: 'GTE', value: 20 },
  },
  UDF_PREDICATE: {
    measurementType: 'UDF_PREDICATE',
    value: { udfId: 7, parameters: [{ key: 'column', value: 'amount', isColumnVariable: true }] },
  },
}

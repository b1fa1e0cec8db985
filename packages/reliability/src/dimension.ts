import type { MeasurementType } from '@assay/contracts'

export type Dimension =
  | 'UNIQUENESS'
  | 'VALIDITY'
  | 'ACCURACY'
  | 'CONSISTENCY'
  | 'COMPLETENESS'
  | 'TIMELINESS'
  | 'OTHERS'

const dimensions: Readonly<Record<MeasurementType, Dimension>> = {
  MISSING_VALUES: 'COMPLETENESS',
  REGEX_MATCH: 'VALIDITY',
  VALUES_IN_LIST: 'VALIDITY',
  VALUES_IN_LOOKUP: 'CONSISTENCY',
  DATATYPE_MATCH: 'VALIDITY',
  RANGE_MATCH: 'VALIDITY',
  SIZE_CHECK: 'VALIDITY',
  PRECISION_SCALE_CHECK: 'VALIDITY',
  DISTINCTNESS_CHECK: 'UNIQUENESS',
  DUPLICATE_ROWS_CHECK: 'UNIQUENESS',
  FRESHNESS_CHECK: 'TIMELINESS',
  TAG_MATCH: 'OTHERS',
  AGGREGATES: 'ACCURACY',
  BUSINESS_MEASURE: 'ACCURACY',
  CUSTOM: 'OTHERS',
  SQL_METRIC: 'OTHERS',
  UDF_PREDICATE: 'OTHERS',
}

/** The dimension of data quality that a kind of item speaks of. */
export function dimensionOf(measurementType: MeasurementType): Dimension {
  return dimensions[measurementType]
}

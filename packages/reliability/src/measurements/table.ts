import type { MeasurementType } from '@assay/contracts'
import { aggregates } from './aggregates.ts'
import { businessMeasure } from './business-measure.ts'
import { custom } from './custom.ts'
import { datatypeMatch } from './datatype-match.ts'
import { distinctnessCheck } from './distinctness-check.ts'
import { duplicateRowsCheck } from './duplicate-rows-check.ts'
import { freshnessCheck } from './freshness-check.ts'
import type { Measurement } from './measurement.ts'
import { missingValues } from './missing-values.ts'
import { precisionScaleCheck } from './precision-scale-check.ts'
import { rangeMatch } from './range-match.ts'
import { regexMatch } from './regex-match.ts'
import { sizeCheck } from './size-check.ts'
import { sqlMetric } from './sql-metric.ts'
import { tagMatch } from './tag-match.ts'
import { udfPredicate } from './udf-predicate.ts'
import { valuesInList } from './values-in-list.ts'
import { valuesInLookup } from './values-in-lookup.ts'

/** Every kind of item. Their wire forms are in `itemKinds` of the contracts. */
export const measurements: Readonly<Record<MeasurementType, Measurement>> = {
  MISSING_VALUES: missingValues,
  REGEX_MATCH: regexMatch,
  VALUES_IN_LIST: valuesInList,
  VALUES_IN_LOOKUP: valuesInLookup,
  DATATYPE_MATCH: datatypeMatch,
  RANGE_MATCH: rangeMatch,
  SIZE_CHECK: sizeCheck,
  PRECISION_SCALE_CHECK: precisionScaleCheck,
  DISTINCTNESS_CHECK: distinctnessCheck,
  DUPLICATE_ROWS_CHECK: duplicateRowsCheck,
  FRESHNESS_CHECK: freshnessCheck,
  TAG_MATCH: tagMatch,
  AGGREGATES: aggregates,
  BUSINESS_MEASURE: businessMeasure,
  CUSTOM: custom,
  SQL_METRIC: sqlMetric,
  UDF_PREDICATE: udfPredicate,
}

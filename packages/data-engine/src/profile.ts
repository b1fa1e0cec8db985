import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { Window } from './plan.ts'

/** JSON as values have it: what a JSON number cannot carry exactly is text, times are ISO 8601, binary is base64. */
export type ProfileValue = null | boolean | number | string

/**
 * What one column holds. NaN and infinities are values of `mostFrequent` and `distinct`, but of no other figure: they are
 * counted in `notFinite` (null for what is no float). Text longer than 256 characters is cut, and ends with `…` then.
 */
export type ColumnProfile = {
  name: string
  dataType: string
  nulls: number
  /** Different values beside NULL. Always counted, never estimated. */
  distinct: number | null
  min: ProfileValue
  max: ProfileValue
  /** Of numbers, as a double. */
  mean: number | null
  /** Of the sample (n - 1), as a double; null below two values. */
  standardDeviation: number | null
  /** Of text, in characters. */
  minLength: number | null
  maxLength: number | null
  notFinite: number | null
  /** Of numbers: the smallest value that at least this share of the values does not exceed. */
  quantiles: { fraction: number; value: ProfileValue }[]
  /** The ten most frequent values beside NULL; of equally frequent ones the smaller first. */
  mostFrequent: { value: ProfileValue; count: number }[]
  /** Why figures are missing. */
  error: string | null
}

export type DatasetProfile = {
  rows: number
  columns: ColumnProfile[]
  /** Columns behind the thousandth are not looked at. */
  columnsLeftOut: number
  warnings: LineWarnings
  /** Milliseconds in the engine. */
  elapsedMs: number
}

export interface ProfilePlan {
  dataset: DatasetLocator
  /** Absent: all of the dataset. */
  window?: Window
  /** Absent: all columns. */
  columns?: readonly string[]
}

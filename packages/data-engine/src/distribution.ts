/**
 * How the values of one column are spread. `numbers`: `edges` ascending, e0..en; `counts` holds those below e0, those up to
 * e1, ..., those up to en (e0 itself in the first of these) and those above en; dates and times count as seconds since 1970.
 * `values`: the most frequent values as text, and behind their counts that of all others. NaN and infinities count as nulls.
 */
export type ColumnDistribution = {
  name: string
  dataType: string
  nulls: number
  kind: 'numbers' | 'values'
  edges: number[]
  values: string[]
  counts: number[]
}

export type Distributions = {
  /** Rows that were looked at: all, or a repeatable random sample of `maxRows`. */
  rows: number
  columns: ColumnDistribution[]
}

export interface DistributionRequest {
  maxRows: number
  /** Columns are counted in the bins of these of the same name where their kind allows it, so that both can be compared. */
  like?: readonly ColumnDistribution[]
}

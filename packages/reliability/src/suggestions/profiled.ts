import type { ColumnFigures } from '../profiles/figures.ts'

/** The figures of a column that suggestions need. `masked`: only the counts may be used. */
export type ProfiledColumn = Pick<
  ColumnFigures,
  | 'name'
  | 'dataType'
  | 'nulls'
  | 'distinct'
  | 'distinctMethod'
  | 'min'
  | 'max'
  | 'minLength'
  | 'maxLength'
  | 'notFinite'
  | 'mostFrequent'
  | 'error'
  | 'blank'
  | 'patterns'
> & { masked: boolean; inferredType: string | null }

/** A profile, as its reader may see it. */
export interface Profiled {
  rows: number
  columns: readonly ProfiledColumn[]
}

/** A column, with the number of rows of its profile. */
export interface ColumnOfProfile {
  column: ProfiledColumn
  rows: number
  /** The number of rows that are not NULL. */
  values: number
}

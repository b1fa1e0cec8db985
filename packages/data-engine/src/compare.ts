import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { RowFormat, SqlText, Window } from './plan.ts'
import type { Touched } from './sql/tree/touched.ts'
import type { TakenColumn } from './take.ts'

/** One of the two tables of a comparison, or the part of it that is compared. */
export interface ComparedTable {
  dataset: DatasetLocator
  /** Default: the whole dataset. */
  window?: Window
  filter?: SqlText
  /** The columns of the dataset, if it is a file that `take` stored. */
  taken?: readonly TakenColumn[]
}

/**
 * Two columns whose values must agree. NULL agrees with NULL. Numbers agree by value, regardless of their types (a float
 * counts as its shortest decimal), times by instant to the microsecond (without zone: UTC; a date is its midnight),
 * texts by code points. Values of other different kinds never agree.
 */
export interface ComparedPair {
  left: string
  right: string
  /** Whether it belongs to the key that pairs rows. */
  isKey: boolean
  /** For text only: ignores blanks (U+0020) at both ends. */
  trim?: boolean
  /** For text only: ignores case. */
  ignoreCase?: boolean
  /** For times only: the precision of the comparison. */
  timeUnit?: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
  /** For times with a time of day only: seconds that are added to the left value first. */
  leftOffsetSeconds?: number
  /**
   * For numbers only: values agree if their distance is at most `absolute`, or at most `relative` times the larger
   * absolute value. Both are decimal text, so that they are exact.
   */
  tolerance?: { absolute?: string; relative?: string }
  /** The relation of the left value to the right one in rows that agree. Default: equality. NULL is in no relation. */
  operation?: 'NOT_EQ' | 'GTE' | 'GT' | 'LTE' | 'LT'
  /** Values also agree if either is NULL. */
  ignoreNulls?: boolean
  /** Changed rows that differ only in such columns are counted in `warned`. */
  isWarning?: boolean
}

/**
 * A comparison of two tables. Rows are paired by key; without a key they are compared as multisets. `tolerance`,
 * `operation` and `ignoreNulls` act on paired rows only, never on the columns of the key.
 */
export interface ComparePlan {
  left: ComparedTable
  right: ComparedTable
  columns: readonly [ComparedPair, ...ComparedPair[]]
  /** The pairs must have all columns of both tables: throws `unprocessable` if a table has others. */
  whole?: boolean
  /**
   * How to store rows that differ; `null` means that none are stored. `limit`: stores only the first rows, ordered by
   * difference, then by key. `itemIds`: the value of `__rule_item_ids` in all rows.
   */
  rows: { format: RowFormat; limit: number | null; preview: number; itemIds: readonly number[] } | null
  /**
   * How to store rows that agree; absent means that none are stored. `limit`: the maximum number of stored rows, and
   * approximately of rows that are read only for this. They are chosen by the hash of their key, so the same data gives
   * the same rows. Stored in the order of the key.
   */
  agreeing?: { format: RowFormat; limit: number | null; preview: number }
}

export interface ComparedSide {
  rows: number
  /** Number of key values that several rows have. */
  duplicateKeys: number
  /** Number of rows with NULL in a column of the key. */
  nullKeys: number
  warnings: LineWarnings
  /** As in a measurement. */
  reached: string | null
  /** The columns and tables that the filter reads; null if there is no filter, or if they are unknown. */
  touched: Touched | null
}

export type Difference = 'CHANGED' | 'ONLY_LEFT' | 'ONLY_RIGHT'

/** A row of a preview with the values of both sides by name; null if that side has no such row. */
export interface DifferingRow {
  difference: Difference
  /** Names of the left columns. Empty for a row of one side. */
  changedColumns: string[]
  left: { [column: string]: unknown } | null
  right: { [column: string]: unknown } | null
}

/** The values of both sides of two rows that agree. They may differ within the rules of the plan. */
export type AgreeingRow = Record<'left' | 'right', { [column: string]: unknown }>

interface KeptComparedRows<Row> {
  /** Number of rows of this kind, including those beyond the limit. */
  count: number
  /** Number of stored rows. */
  stored: number
  /** Names of the parts that the sink got. */
  files: string[]
  /**
   * Columns of the parts besides `__difference` and `__changed_columns`, in their order: pair by pair, left before
   * right. `column`: its name in the
   * table of its side.
   */
  columns: { name: string; side: 'LEFT' | 'RIGHT'; column: string; dataType: string }[]
  preview: Row[]
}

export type KeptDifferences = KeptComparedRows<DifferingRow>
export type KeptAgreeing = KeptComparedRows<AgreeingRow>

/**
 * The result of a comparison. Always left.rows = equal + changed + onlyLeft, and right.rows = equal + changed +
 * onlyRight. Rows with a duplicate key are not paired, so they count as equal or as on one side only, never as changed.
 */
export interface Compared {
  left: ComparedSide
  right: ComparedSide
  equal: number
  changed: number
  onlyLeft: number
  onlyRight: number
  /** Number of changed rows that differ only in columns with `isWarning`. */
  warned: number
  /** For each pair of the plan, in order: the number of changed rows whose values disagree. */
  columns: { left: string; right: string; changed: number }[]
  differing: KeptDifferences | null
  /** Rows with a duplicate key are stored in arbitrary pairs of equal rows. */
  agreeing: KeptAgreeing | null
  /** Milliseconds in the engine. */
  elapsedMs: number
}

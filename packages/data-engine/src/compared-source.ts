import type { ComparedTable } from './compare.ts'
import type { ComparedAs } from './planner/compared-as.ts'
import type { MeasureCall } from './port.ts'
import type { LogicalType } from './types/logical-type.ts'

export type SideName = 'left' | 'right'
export type BySide<T> = { readonly [side in SideName]?: T }

/** A column of a table whose values arrive as text. */
export interface SourceColumn {
  name: string
  type: LogicalType
  /** DuckDB's name of the type to which the text is cast. `VARCHAR` for numbers that no type of DuckDB can hold. */
  stored: string
}

/** A column to hash. Equal values should have the same hash. Different values must have different hashes. */
export interface HashedColumn {
  name: string
  as: ComparedAs
  isKey: boolean
  trim?: boolean
  ignoreCase?: boolean
  timeUnit?: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
  offsetSeconds?: number
}

/** Buckets, numbered by the last `bits` bits of the hash of the key. */
export interface BucketNumbers {
  bits: number
  numbers: readonly number[]
}

/**
 * A question to one side of a comparison, about the rows after window and filter. The answer has, for `buckets`: for
 * each bucket its number, its rows, the sum of the hashes of its rows, and its rows with NULL in the key. For `rows`:
 * the columns of the rows, as text. For `repeated`: the number of keys outside of the buckets that several rows have.
 * For `values`: the different values of the first column as text, without NULL, each with its number of rows. For
 * `count`: the number of rows. `within`: the buckets; null means all rows.
 */
export interface SideRequest {
  side: SideName
  kind: 'buckets' | 'rows' | 'repeated' | 'values' | 'count'
  columns: readonly HashedColumn[]
  /** For `buckets`: how many bits the bucket numbers have. */
  bits: number
  within: BucketNumbers | null
}

export type TextRow = readonly (string | null)[]

/** A table, or one side of a comparison, read at its source on one snapshot. */
export interface SourceSide {
  columns: readonly SourceColumn[]
  /** As in a measurement. */
  reached: string | null
  /** The answer in parts, so that memory does not grow with the number of rows. */
  read(request: SideRequest): AsyncIterable<readonly TextRow[]>
}

/** An engine whose tables can be compared with those of other engines, and profiled by DuckDB. */
export interface ComparedSources {
  /**
   * Opens tables of one source for as long as `work` runs. All of them are read on one snapshot and in one session.
   * Errors name the side.
   */
  withSides<T>(
    tables: BySide<ComparedTable>,
    call: MeasureCall,
    work: (sides: BySide<SourceSide>) => Promise<T>,
  ): Promise<T>
  /** Opens one table. `maxRows`: reads at most this many rows, which are always the same for the same data. */
  withTable<T>(
    table: ComparedTable & { maxRows?: number | undefined },
    call: MeasureCall,
    work: (side: SourceSide) => Promise<T>,
  ): Promise<T>
}

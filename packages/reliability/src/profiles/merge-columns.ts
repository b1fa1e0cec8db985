import {
  type ColumnState,
  type KnownColumn,
  type PositionedValue,
  parseType,
  type WholeColumn,
} from '@assay/data-engine'
import { mergeSums } from './exact-sums.ts'
import { mergePatterns, mergeTypes } from './merge-text.ts'
import { mergeValues } from './merge-values.ts'
import { compareValues } from './value-order.ts'

/** The column states of a dataset's rows. */
export interface ProfileState {
  rows: number
  columns: readonly ColumnState[]
}

/** Merges two values. If one is null, returns the other. */
function both<T>(one: T | null, other: T | null, merge: (one: T, other: T) => T): T | null {
  return one === null ? other : other === null ? one : merge(one, other)
}

const sum = (one: number, other: number) => one + other

function mergeKnown(dataType: string, one: KnownColumn, other: KnownColumn): KnownColumn {
  if (one.count === 0) return other
  if (other.count === 0) return one
  const compare = compareValues(parseType(dataType))
  const least = (a: PositionedValue, b: PositionedValue) => (compare(b, a) < 0 ? b : a)
  const greatest = (a: PositionedValue, b: PositionedValue) => (compare(b, a) > 0 ? b : a)
  return {
    count: one.count + other.count,
    notFinite: both(one.notFinite, other.notFinite, sum),
    least: both(one.least, other.least, least),
    greatest: both(one.greatest, other.greatest, greatest),
    text: both(one.text, other.text, (a, b) => ({
      empty: a.empty + b.empty,
      blank: a.blank + b.blank,
      minLength: Math.min(a.minLength, b.minLength),
      maxLength: Math.max(a.maxLength, b.maxLength),
      lengths: a.lengths + b.lengths,
      upper: a.upper + b.upper,
      lower: a.lower + b.lower,
      mixed: a.mixed + b.mixed,
      minWords: Math.min(a.minWords, b.minWords),
      maxWords: Math.max(a.maxWords, b.maxWords),
      patterns: a.patterns && b.patterns && mergePatterns(a.patterns, b.patterns),
      types: mergeTypes(a.types, b.types),
    })),
    number: both(one.number, other.number, (a, b) => ({
      zeros: a.zeros + b.zeros,
      negatives: a.negatives + b.negatives,
      sums: mergeSums(a.sums, b.sums),
    })),
    values: mergeValues(one.values, other.values),
  }
}

/** Merges the states of one column. They must be mergeable. */
export function mergeColumns(one: ColumnState, other: ColumnState): ColumnState {
  return {
    ...one,
    nulls: one.nulls + other.nulls,
    known: one.known && other.known && mergeKnown(one.dataType, one.known, other.known),
    // Sorted, so that either order of merging keeps the same error.
    error: [one.error, other.error].filter((error) => error !== null).toSorted()[0] ?? null,
  }
}

/**
 * Whether two profiles can be merged: they must have the same columns, of the same types, hashed by the same function.
 * False if `one` could not read a column, because only a read of all rows repairs that.
 */
export function canMerge(one: ProfileState, other: ProfileState): boolean {
  return (
    one.columns.length === other.columns.length &&
    one.columns.every(({ name, dataType, hashedBy, known }, index) => {
      const column = other.columns[index]
      return known !== null && column?.name === name && column.dataType === dataType && column.hashedBy === hashedBy
    })
  )
}

/** The merged state of a column, with what all its values say. */
function withWhole(column: ColumnState, whole: WholeColumn | null | undefined): ColumnState {
  const { known } = column
  if (known === null || !whole) return column
  const { least, greatest, exact } = whole
  const values = known.values.kind === 'many' && exact !== null ? { ...known.values, exact } : known.values
  return { ...column, known: { ...known, least, greatest, values } }
}

/**
 * Merges the states of disjoint rows; they must be mergeable. Merging is associative and commutative, and a state of no
 * rows changes nothing. So merging parts in any order gives the state of the whole. The exception is `exact`, for
 * columns with more than `maxValues` values: it needs `whole`, what all values of these rows say, by column.
 */
export function mergeProfiles(
  one: ProfileState,
  other: ProfileState,
  whole: readonly (WholeColumn | null)[] = [],
): ProfileState {
  const columns = one.columns.flatMap((column, index) => {
    const same = other.columns[index]
    return same === undefined ? [] : [withWhole(mergeColumns(column, same), whole[index])]
  })
  return { rows: one.rows + other.rows, columns }
}

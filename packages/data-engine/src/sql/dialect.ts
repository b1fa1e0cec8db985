import type { AggregateFunction } from '../plan.ts'
import type { LogicalType } from '../types/logical-type.ts'
import type { Decimal } from './decimal.ts'
import type { Fragment } from './fragment.ts'

export type Side = 'min' | 'max'

/**
 * How one product says what predicates and measurements ask for. Arguments and answers are SQL, unless they are named otherwise.
 * Names and texts are quoted alike everywhere (`quote.ts`).
 */
export interface Dialect {
  /** What a type means by the product's name of it. */
  parseType(name: string): LogicalType
  /** The product's name of a type. */
  typeName(type: LogicalType): string
  /** A field of a structure, by names inwards; none: the column itself. */
  field(column: string, names: readonly string[]): string
  /** A value as text; texts compare by code points. */
  text(value: string, type: LogicalType): string
  isNan(value: string): string
  /** A whole number that compares with any other one. */
  wideInteger(value: string): string
  /** Whether a text matches people's pattern: all of it, or a part. */
  matches(text: string, pattern: string, whole: boolean): string
  /** Whether a text has no visible character. */
  isBlank(text: string): string
  withoutBlanks(text: string): string
  /** Whether a value that is not NULL is among literals, of which there is at least one. */
  isAmong(value: string, literals: readonly string[]): string
  /** People's text as a literal of a type that is no number, text or boolean; NULL, or null, where it is none of that type. */
  literal(text: string, column: { dataType: string; type: LogicalType }): string | null
  /** Whether a text is no number or one beyond a bound, at any length. */
  isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string
  /** Whether a text is one of some numbers, at any length; may be NULL. */
  isOneOf(text: string, numbers: readonly Decimal[]): string
  /** A text by which equal numbers are equal, however they are written; NULL for what is no number. */
  numberKey(text: string): string
  /** The moment that a text names, without zone (UTC); NULL where it names none. `format`: how it is written (`%d.%m.%Y`); absent: ISO 8601. */
  moment(text: string, format?: string): string
  /** Whether a text is a number of at most so many digits, of them `scale` after the point. */
  fitsDecimal(text: string, precision: number, scale: number): string
  /** Whether a text is a value of a type without loss. Throws `invalid` where that cannot be told. */
  isOf(text: string, type: LogicalType): string
  /** Whether a value of a column that holds no text is not the same in a type. Throws `invalid` where that cannot be told. */
  isChanged(column: { sql: string; dataType: string; type: LogicalType }, type: LogicalType): string
  /** `type`: of the column that is aggregated; absent: an expression. */
  aggregate(fn: AggregateFunction, argument: Fragment, type?: LogicalType): Fragment
}

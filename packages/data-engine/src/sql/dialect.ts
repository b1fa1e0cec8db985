import type { AggregateFunction } from '../plan.ts'
import type { LogicalType } from '../types/logical-type.ts'
import type { Decimal } from './decimal.ts'
import type { Fragment } from './fragment.ts'

export type Side = 'min' | 'max'

/**
 * The SQL of one kind of database for predicates and measurements. Arguments and results are SQL unless stated otherwise. Names
 * and texts are quoted in the same way everywhere (`quote.ts`).
 */
export interface Dialect {
  /** Parses the database's name of a type. */
  parseType(name: string): LogicalType
  /** The database's name of a type. */
  typeName(type: LogicalType): string
  /** A field of a structure; `names`: outermost first; empty: the column itself. */
  field(column: string, names: readonly string[]): string
  /** A value as text; texts compare by code points. */
  text(value: string, type: LogicalType): string
  isNan(value: string): string
  /** A whole number, widened so that it compares with any other. */
  wideInteger(value: string): string
  /** Whether a text matches a pattern, as a whole or in part. */
  matches(text: string, pattern: string, whole: boolean): string
  /** Whether a text has no visible character. */
  isBlank(text: string): string
  withoutBlanks(text: string): string
  /** Whether a value that is not NULL is among literals, of which there is at least one. */
  isAmong(value: string, literals: readonly string[]): string
  /**
   * A user's text as a literal of a type other than number, text or boolean. SQL's NULL or `null` if it is not a value
   * of the type.
   */
  literal(text: string, column: { dataType: string; type: LogicalType }): string | null
  /** Whether a text is not a number, or exceeds the bound. Exact for any number of digits. */
  isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string
  /** Whether a text equals one of the numbers. Exact for any number of digits; may be NULL. */
  isOneOf(text: string, numbers: readonly Decimal[]): string
  /** A text that is the same for equal numbers in any notation; NULL if it is not a number. */
  numberKey(text: string): string
  /**
   * The time of a text, without zone (UTC); NULL if it is not a time. `format`: format of the text (`%d.%m.%Y`);
   * default: ISO 8601.
   */
  timestamp(text: string, format?: string): string
  /** Whether a text is a number of at most `precision` digits, `scale` of them after the point. */
  fitsDecimal(text: string, precision: number, scale: number): string
  /** Whether a text is a value of a type without loss. Throws `invalid` if this cannot be checked. */
  isOf(text: string, type: LogicalType): string
  /** Whether a value of a non-text column changes in a type. Throws `invalid` if this cannot be checked. */
  isChanged(column: { sql: string; dataType: string; type: LogicalType }, type: LogicalType): string
  /** `type`: type of the aggregated column; omitted for an expression. */
  aggregate(fn: AggregateFunction, argument: Fragment, type?: LogicalType): Fragment
}

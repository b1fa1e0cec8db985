import type { AggregateFunction } from '../plan.ts'
import type { LogicalType } from '../types/logical-type.ts'
import type { ComparedForm } from './compared-form.ts'
import type { Decimal } from './decimal.ts'
import type { Fragment } from './fragment.ts'

export type Side = 'min' | 'max'

export interface TypedColumn {
  dataType: string
  type: LogicalType
}

/**
 * The SQL of one kind of database for predicates and measurements. Arguments and results are SQL unless stated otherwise. Names
 * and texts are quoted in the same way everywhere (`quote.ts`).
 */
export interface Dialect {
  /** How rows are compared with those of other databases. If absent, they cannot be compared. */
  compared?: ComparedForm
  /** Whether aggregates support FILTER. */
  hasFilter: boolean
  /** Parses the database's name of a type. */
  parseType(name: string): LogicalType
  /** The database's name of a type. */
  typeName(type: LogicalType): string
  /** A field of a structure. `names`: outermost first; empty for the column itself. */
  field(column: string, names: readonly string[]): string
  /** A column's value in the form in which it is compared, counted and aggregated. */
  value(column: string, type: LogicalType): string
  /** SQL that is NULL for the same rows as `value`, and takes less time. Default: `value`. */
  presence?(column: string, type: LogicalType): string
  /** A value as text. Such texts are compared by code points. */
  text(value: string, type: LogicalType): string
  isNan(value: string): string
  /** NaN as a literal of a float type; null if the type has no NaN. */
  nan(column: TypedColumn): string | null
  /** A number, given as digits, as a literal of a numeric column's type. The type must have a value for it. */
  number(digits: string, column: TypedColumn): string
  /**
   * A text as a literal of a column's type. If it is not a value of the type, the error comes here or at the server.
   */
  bound(text: string, column: TypedColumn): string
  /** A date, time or ISO 8601 literal as a time without zone (UTC). */
  asTimestamp(value: string): string
  /** A user's ISO 8601 time as a literal without zone (UTC). */
  instant(text: string): string
  /** A user's ISO 8601 date as a literal. */
  date(text: string): string
  /** A user's time of day as a literal. */
  timeOfDay(text: string): string
  /** The first instant of a user's ISO 8601 date, or of the day after it, without zone. */
  startOfDay(text: string, next: boolean): string
  /**
   * Converts a time on the clocks of a zone to UTC. `range`: ISO 8601; times more than two days outside of it may be
   * wrong.
   */
  fromZone(time: string, zone: string, range: { from: string; to: string }): string
  /** A whole number in a wider type, so that it can be compared with any other. */
  wideInteger(value: string): string
  /** The number of code points of a text. */
  characters(text: string): string
  /** Whether a text matches a pattern, as a whole or in part. */
  matches(text: string, pattern: string, whole: boolean): string
  /** An expression that fails if the server cannot compile a pattern. Absent if `matches` refuses such patterns. */
  compiles?(pattern: string, whole: boolean): string
  /** Whether a text has no visible characters. */
  isBlank(text: string): string
  withoutBlanks(text: string): string
  /** SQL for FROM: a table with these texts in its only column. `column`: its quoted name. */
  table(texts: readonly string[], column: string): string
  /** A short text that is equal for equal texts only. If absent, subqueries of long texts are fast without it. */
  shortKey?(text: string): string
  /** Whether a value that is not NULL is one of the literals, of which there is at least one. */
  isAmong(value: string, literals: readonly string[]): string
  /**
   * A user's text as a literal of a type other than number, text or boolean. If it is not a value of the type, the
   * result is SQL's NULL, or `null`.
   */
  literal(text: string, column: TypedColumn): string | null
  /** Whether a text is not a number, or exceeds the bound. Exact for any number of digits. */
  isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string
  /** Whether a text equals one of the numbers. Exact for any number of digits; may be NULL. */
  isOneOf(text: string, numbers: readonly Decimal[]): string
  /** A text that is equal for equal numbers in any notation; NULL if the text is not a number. */
  numberKey(text: string): string
  /**
   * The time of a text, without zone (UTC); NULL if it is not a time. `format`: format of the text (`%d.%m.%Y`);
   * default: ISO 8601.
   */
  timestamp(text: string, format?: string): string
  /** Whether a text is a number with at most `precision` digits, `scale` of them after the point. */
  fitsDecimal(text: string, precision: number, scale: number): string
  /** Whether a text can be cast to a type without loss. Throws `invalid` if this cannot be checked. */
  isOf(text: string, type: LogicalType): string
  /** Whether a cast to a type changes a value of a non-text column. Throws `invalid` if this cannot be checked. */
  isChanged(column: TypedColumn & { sql: string }, type: LogicalType): string
  /** `type`: the type of the aggregated column; omitted for an expression. */
  aggregate(fn: AggregateFunction, argument: Fragment, type?: LogicalType): Fragment
}

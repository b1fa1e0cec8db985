import type { HashedColumn } from '../compared-source.ts'
import type { ComparedAs } from '../planner/compared-as.ts'
import { isNested } from '../types/logical-type.ts'
import type { Column } from './predicate/column.ts'

/** The SQL with which one kind of database computes hashes that are the same in all databases. */
export interface ComparedForm {
  /**
   * A value as text, NULL for NULL. Different values must have different texts, also across databases. Equal values
   * should have equal texts; if they do not, their rows are compared again by value.
   */
  text(column: Column, rule: HashedColumn): string
  /** Whether a column may have numbers that no numeric type of DuckDB can hold. */
  isWide(column: Pick<Column, 'dataType' | 'type'>): boolean
  /** A value as text for DuckDB, which must parse it to the same value. */
  exported(column: Column): string
  concat(parts: readonly string[]): string
  /** The number of characters of a text. */
  length(text: string): string
  /** The first 15 hexadecimal digits of the MD5 of a text in UTF-8, as a whole number. */
  hash(text: string): string
  /** The last `bits` bits (at most 28) of that MD5, as a whole number. */
  bucket(text: string, bits: number): string
}

/** Whether a text may contain any character, so that its length must come first. */
function isFree(as: ComparedAs): boolean {
  if (as.kind !== 'type') return as.kind !== 'digits'
  return as.type.kind === 'text' || as.type.kind === 'other' || isNested(as.type)
}

/**
 * The values of a row as one text. Two rows have the same text only if all their values are the same. `text`: SQL of a
 * value as text.
 */
export function rowForm(
  { concat, length }: Pick<ComparedForm, 'concat' | 'length'>,
  values: readonly { text: string; as: ComparedAs }[],
): string {
  const parts = values.map(({ text, as }) => {
    const known = isFree(as) ? concat(["'t'", length(text), "':'", text]) : concat(["'v'", text, "';'"])
    return `CASE WHEN ${text} IS NULL THEN 'n' ELSE ${known} END`
  })
  return concat(parts)
}

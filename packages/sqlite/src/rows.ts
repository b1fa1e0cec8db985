/** Values of columns and parameters. Integers are numbers if they are safe, and bigints beyond 2^53. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** One row of a result, without a prototype: compare with `toEqual`, not `toStrictEqual`. */
export type Row = Record<string, SqlValue>

function wrong(column: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`Column ${column} should hold ${wanted}, but holds ${value === null ? 'NULL' : typeof value}.`)
}

/** The text in `column`. Throws a TypeError for anything else. */
export function textIn(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw wrong(column, 'text', value)
  return value
}

/** The text in `column`, or null. */
export function textOrNullIn(row: Row, column: string): string | null {
  return row[column] === null ? null : textIn(row, column)
}

/** The number in `column`: safe integers and reals. Throws a TypeError for integers beyond 2^53 and anything else. */
export function numberIn(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw wrong(column, 'a number', value)
  return value
}

/** The number in `column`, or null. */
export function numberOrNullIn(row: Row, column: string): number | null {
  return row[column] === null ? null : numberIn(row, column)
}

import type { ColumnInfo } from '../port.ts'
import { quoteName } from '../sql/quote.ts'

/** How a server types `char(n)`, and how its values are read without the blanks that pad them. */
export interface Padding {
  isPadded: RegExp
  unpadded(name: string): string
}

/**
 * The table for FROM, where columns of `char(n)` are read by `unpadded`: the blanks that pad them are not part of their
 * values.
 */
export function withoutPadding(table: string, columns: readonly ColumnInfo[], char: Padding | undefined): string {
  if (char === undefined || !columns.some(({ dataType }) => char.isPadded.test(dataType))) return table
  const { isPadded, unpadded } = char
  const values = columns.map(({ name, dataType }) => {
    const quoted = quoteName(name)
    return isPadded.test(dataType) ? `${unpadded(quoted)} AS ${quoted}` : quoted
  })
  return `(SELECT ${values.join(', ')} FROM ${table} AS asset)`
}

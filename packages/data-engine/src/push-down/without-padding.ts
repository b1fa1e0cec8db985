import type { ColumnInfo } from '../port.ts'
import { quoteName } from '../sql/quote.ts'

/**
 * The table for FROM, where columns of `char(n)` are read by `unpadded`: the blanks that pad them are not part of their
 * values.
 */
export function withoutPadding(
  table: string,
  columns: readonly ColumnInfo[],
  { isPadded, unpadded }: { isPadded: RegExp; unpadded: (name: string) => string },
): string {
  if (!columns.some(({ dataType }) => isPadded.test(dataType))) return table
  const values = columns.map(({ name, dataType }) => {
    const quoted = quoteName(name)
    return isPadded.test(dataType) ? `${unpadded(quoted)} AS ${quoted}` : quoted
  })
  return `(SELECT ${values.join(', ')} FROM ${table} AS asset)`
}

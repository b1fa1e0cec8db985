import { shortText } from '@assay/contracts'
import type { BadRows } from '@assay/hosting/ports'

/** Names of items may be long. */
const maxItem = 80
const grouped = new Intl.NumberFormat('en-US')

/** `First 3 of 2,836 rows that fail 'speed is known'`. Pure. */
export function rowsTitle({ item, count, rows }: BadRows): string {
  const shown = count > rows.length ? `First ${rows.length} of ${grouped.format(count)} rows` : 'Rows'
  return `${shown} that fail '${shortText(visible(item), maxItem)}'`
}

/** Characters that would break a line, or change the direction or the meaning of the text around them, made visible. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'
  })
}

/** What people see of a value. A text that looks like nothing, like NULL, or begins or ends with spaces, is in quotes. */
export function cellText(value: string | null): string {
  if (value === null) return 'NULL'
  const text = visible(value)
  return text === 'NULL' || text.trim() !== text || text === '' ? `"${text}"` : text
}

/** The rows as lines of text with aligned columns. `maxCell`: longer texts are cut. Pure. */
export function rowLines({ columns, rows }: BadRows, maxCell = 80): string[] {
  const lines = [columns.map(visible), ...rows.map((row) => row.map(cellText))].map((line) =>
    line.map((text) => shortText(text, maxCell)),
  )
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
}

/** The names and the texts of one row, in order. Pure. */
export function namedCells({ columns }: Pick<BadRows, 'columns'>, row: BadRows['rows'][number]): [string, string][] {
  return columns.map((name, at) => [visible(name), cellText(row[at] ?? null)])
}

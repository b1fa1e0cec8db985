import { text } from 'node:stream/consumers'
import type { Preview } from './preview.ts'

type Row = Preview['rows'][number]
type Cells = Record<string, unknown>

/** The name that our own column of rows has. */
const idsColumn = '__rule_item_ids'
const wholeNumber = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/
const number = /^(DOUBLE|FLOAT|REAL)$/

/** What a spreadsheet would take for a formula stands behind a quote in CSV. */
const harmless = /^'(?=[=+\-@\t\r])/

/** A cell of a CSV file, which has only text, as the first rows of the same run show it. */
function cell(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value
  if (type === 'BOOLEAN' && /^(true|false)$/.test(value)) return value === 'true'
  const told = wholeNumber.test(type) || number.test(type) ? Number(value) : Number.NaN
  return value !== '' && Number.isFinite(told) && (number.test(type) || Number.isSafeInteger(told))
    ? told
    : value.replace(harmless, '')
}

/** One line of kept rows as JSON. `isCsv`: they were kept as CSV. Pure. */
export function keptRow(line: string, fields: Preview['fields'], isCsv: boolean): Row {
  const { [idsColumn]: told, ...cells }: Cells = JSON.parse(line)
  const ids: unknown = typeof told === 'string' ? JSON.parse(told) : told
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const values = Object.fromEntries(
    Object.entries(cells).map(([shown, value]) => {
      const name = isCsv ? shown.replace(harmless, '') : shown
      return [name, isCsv ? cell(value, types.get(name) ?? '') : value]
    }),
  )
  return { values, ruleItemIds: Array.isArray(ids) ? ids.map(Number) : [] }
}

/** All rows of JSON lines, which are a page of them. Only `\n` ends a line: texts have other ends of lines as they are. */
export async function keptRows(
  stream: NodeJS.ReadableStream,
  { fields, isCsv }: { fields: Preview['fields']; isCsv: boolean },
): Promise<Row[]> {
  const lines = (await text(stream)).split('\n')
  return lines.filter((line) => line !== '').map((line) => keptRow(line, fields, isCsv))
}

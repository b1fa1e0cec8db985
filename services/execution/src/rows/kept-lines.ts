import { text } from 'node:stream/consumers'
import type { Preview } from './preview.ts'

type Row = Preview['rows'][number]
type Cells = Record<string, unknown>

/** The column that Assay adds to stored rows. */
const idsColumn = '__rule_item_ids'
const wholeNumber = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/
const number = /^(DOUBLE|FLOAT|REAL)$/

/** CSV files quote texts that a spreadsheet would run as a formula. */
const harmless = /^'(?=[=+\-@\t\r])/

/** A cell of a CSV file, in which everything is text, in the form of the run's preview. */
function cell(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value
  if (type === 'BOOLEAN' && /^(true|false)$/.test(value)) return value === 'true'
  const told = wholeNumber.test(type) || number.test(type) ? Number(value) : Number.NaN
  return value !== '' && Number.isFinite(told) && (number.test(type) || Number.isSafeInteger(told))
    ? told
    : value.replace(harmless, '')
}

/** One line of stored rows as JSON. `isCsv`: they were stored as CSV. Pure. */
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

/** All rows of a page of JSON lines. Only `\n` ends a line, because texts may contain other line ends. */
export async function keptRows(
  stream: NodeJS.ReadableStream,
  { fields, isCsv }: { fields: Preview['fields']; isCsv: boolean },
): Promise<Row[]> {
  const lines = (await text(stream)).split('\n')
  return lines.filter((line) => line !== '').map((line) => keptRow(line, fields, isCsv))
}

import { text } from 'node:stream/consumers'
import type { PreviewRow } from '../plan.ts'
import { idsColumn, unquoted } from './format.ts'

/** A column of stored rows. `type` is DuckDB's name. */
interface Field {
  name: string
  type: string
}
type Cells = Record<string, unknown>

const wholeNumber = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/
const number = /^(DOUBLE|FLOAT|REAL)$/

/** Converts a cell of a CSV file, which is always text, to the form of the run's preview. */
function cell(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value
  if (type === 'BOOLEAN' && /^(true|false)$/.test(value)) return value === 'true'
  const parsed = wholeNumber.test(type) || number.test(type) ? Number(value) : Number.NaN
  return value !== '' && Number.isFinite(parsed) && (number.test(type) || Number.isSafeInteger(parsed))
    ? parsed
    : unquoted(value)
}

/** One line of stored rows as JSON. `isCsv`: the rows were stored as CSV. Pure. */
export function keptRow(line: string, fields: readonly Field[], isCsv: boolean): PreviewRow {
  const { [idsColumn]: stored, ...cells }: Cells = JSON.parse(line)
  const ids: unknown = typeof stored === 'string' ? JSON.parse(stored) : stored
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const values = Object.fromEntries(
    Object.entries(cells).map(([shown, value]) => {
      const name = isCsv ? unquoted(shown) : shown
      return [name, isCsv ? cell(value, types.get(name) ?? '') : value]
    }),
  )
  return { values, ruleItemIds: Array.isArray(ids) ? ids.map(Number) : [] }
}

/** All rows of a page of JSON lines. Only `\n` ends a line, because texts may contain other line ends. */
export async function keptRows(
  stream: NodeJS.ReadableStream,
  { fields, isCsv }: { fields: readonly Field[]; isCsv: boolean },
): Promise<PreviewRow[]> {
  const lines = (await text(stream)).split('\n')
  return lines.filter((line) => line !== '').map((line) => keptRow(line, fields, isCsv))
}

import { createInterface } from 'node:readline'
import type { Preview, RowPage } from './preview.ts'

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

interface Asked {
  fields: Preview['fields']
  isCsv: boolean
  itemId: number
}

/** Those of the rows that broke an item with a place from `from` to below `until`, and how many there are in all. */
async function sliceOfLines(
  stream: NodeJS.ReadableStream,
  { fields, isCsv, itemId, from, until }: Asked & { from: number; until: number },
): Promise<{ rows: Row[]; count: number }> {
  const rows: Row[] = []
  let count = 0
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue
    const row = keptRow(line, fields, isCsv)
    if (!row.ruleItemIds.includes(itemId)) continue
    if (count >= from && count < until) rows.push(row)
    count += 1
  }
  return { rows, count }
}

/**
 * A page of those of JSON lines that broke an item, and how many there are. In memory: that page. `open` gives the lines
 * from their beginning; backwards they are read twice, because only the end tells where a page begins.
 */
export async function pageOfLines(
  open: () => Promise<NodeJS.ReadableStream>,
  { page, size, isReversed, ...asked }: Asked & RowPage & { isReversed: boolean },
): Promise<{ rows: Row[]; count: number }> {
  if (!isReversed) return sliceOfLines(await open(), { ...asked, from: page * size, until: (page + 1) * size })
  const { count } = await sliceOfLines(await open(), { ...asked, from: 0, until: 0 })
  const until = count - page * size
  if (until <= 0 || size === 0) return { rows: [], count }
  const { rows } = await sliceOfLines(await open(), { ...asked, from: Math.max(0, until - size), until })
  return { rows: rows.toReversed(), count }
}

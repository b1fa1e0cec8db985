import type { CsvOptions } from '../../../dataset.ts'
import { refused } from '../failures.ts'
import { maxColumns, tooManyColumns } from '../files/reading.ts'
import type { TextFile } from './bytes.ts'
import { fieldsOf } from './fields.ts'
import { columnNames } from './names.ts'
import { RecordScanner, type ScanDialect } from './scan.ts'

const HEAD_BYTES = 1 << 20
const HEAD_RECORDS = 1000
const CANDIDATES = [',', ';', '\t', '|'] as const

/** A shape, and the new names of columns whose names in the header are blank or repeated. */
type FoundShape = CsvShape & { renamed: string[] }

/** How a CSV file is split, and the names of its columns. */
export interface CsvShape {
  delimiter: string
  quote: string
  header: boolean
  names: string[]
}

export function scanDialect(shape: { delimiter: string; quote: string }): ScanDialect {
  return {
    delimiter: Buffer.from(shape.delimiter, 'utf8'),
    quote: shape.quote === '' ? -1 : shape.quote.charCodeAt(0),
  }
}

async function headOf(file: TextFile): Promise<{ bytes: Buffer; whole: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of file.chunks()) {
    parts.push(chunk)
    size += chunk.length
    if (size >= HEAD_BYTES) return { bytes: Buffer.concat(parts), whole: false }
  }
  return { bytes: Buffer.concat(parts), whole: true }
}

/** The first records that are not blank, as text. */
function headRecords(
  head: { bytes: Buffer; whole: boolean },
  delimiter: string,
  quote: string,
): { text: string; fields: number }[] {
  const records: { text: string; fields: number }[] = []
  const scanner = new RecordScanner(scanDialect({ delimiter, quote }), (record) => {
    if (record.end === record.start || records.length >= HEAD_RECORDS) return
    const text = Buffer.from(record.bytes.buffer, record.bytes.byteOffset + record.start, record.end - record.start)
    records.push({ text: text.toString('utf8'), fields: record.fields })
  })
  scanner.push(head.bytes)
  if (head.whole || records.length === 0) scanner.end()
  return records
}

/** How well a delimiter fits: the share of records with the most common number of fields; 0 if that is one field. */
function fitOf(records: readonly { fields: number }[]): { share: number; width: number } {
  const counts = new Map<number, number>()
  for (const { fields } of records) counts.set(fields, (counts.get(fields) ?? 0) + 1)
  let width = 1
  let most = 0
  for (const [fields, count] of counts) {
    if (count > most || (count === most && fields > width)) {
      width = fields
      most = count
    }
  }
  return { share: width === 1 || records.length === 0 ? 0 : most / records.length, width }
}

const numberText = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const dateText = /^\d{4}-\d{2}-\d{2}([ T].*)?$/
const yearText = /^(19|20)\d{2}$/

function typed(text: string): boolean {
  return numberText.test(text) || dateText.test(text) || /^(true|false)$/i.test(text)
}

/**
 * Whether the first line is a header: one of its texts is above a column of numbers, dates or booleans, or the line
 * contains no number, date or boolean itself. A year counts as text, because columns may be named by years.
 */
function looksLikeHeader(first: readonly string[], others: readonly (readonly string[])[]): boolean {
  let againstIt = 0
  let forIt = 0
  first.forEach((text, index) => {
    const values = others.map((fields) => fields[index] ?? '').filter((value) => value !== '')
    const data = values.length > 0 && values.every(typed)
    if (text === '' || yearText.test(text)) return
    if (typed(text)) againstIt += 1
    else if (data) forIt += 1
  })
  return forIt > 0 || againstIt === 0
}

/**
 * Infers from the first megabyte how a file is split; `options` take precedence. Throws `unprocessable` if the file has
 * no lines.
 */
export async function shapeOf(file: TextFile, tsv: boolean, options: CsvOptions, name: string): Promise<FoundShape> {
  const quote = options.quote ?? '"'
  if (quote.length > 0 && quote.charCodeAt(0) > 127)
    throw refused(name, 'cannot be read with a quote that is not ASCII')
  const head = await headOf(file)
  const candidates = options.delimiter === undefined ? (tsv ? ['\t', ...CANDIDATES] : CANDIDATES) : [options.delimiter]
  let best: { delimiter: string; share: number; records: { text: string; fields: number }[]; width: number } | null =
    null
  for (const delimiter of candidates) {
    const records = headRecords(head, delimiter, quote)
    const { share, width } = fitOf(records)
    if (best === null || share > best.share) best = { delimiter, share, records, width }
  }
  const first = best?.records[0]
  if (best === null || first === undefined) throw refused(name, 'is empty: it has no header and no rows')
  const { delimiter } = best
  if (best.width > maxColumns || first.fields > maxColumns) throw refused(name, tooManyColumns)
  const texts = best.records
    .slice(0, HEAD_RECORDS)
    .map((record) => fieldsOf(record.text, delimiter, quote).map((field) => field.text))
  const firstTexts = texts[0] ?? []
  const header = options.header ?? looksLikeHeader(firstTexts, texts.slice(1))
  const names = columnNames(header ? firstTexts : Array.from({ length: Math.max(best.width, 1) }, () => ''))
  const renamed = header
    ? names.flatMap((column, index) =>
        column === firstTexts[index] ? [] : [`'${firstTexts[index]}' became ${column}`],
      )
    : []
  return { delimiter, quote, header, names, renamed }
}

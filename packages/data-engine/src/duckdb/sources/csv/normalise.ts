import { isUtf8 } from 'node:buffer'
import type { LineWarnings } from '../../../dataset.ts'
import type { Copy } from '../files/copies.ts'
import { collectWarnings } from '../warnings.ts'
import type { TextFile } from './bytes.ts'
import { type Field, fieldsOf, recordOf } from './fields.ts'
import { oddity, RecordScanner } from './scan.ts'
import { type CsvShape, scanDialect } from './shape.ts'

const OUT = 1 << 20
/** Stands for NULL in a file with one column. An empty line could be skipped. */
export const NULL_MARK = '\u0001NULL\u0001'

const fieldsInstead = (found: number, width: number) =>
  `the line has ${found} ${found === 1 ? 'field' : 'fields'} instead of ${width}`

function replacedCharacter(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('\ufffd')
}

/** Gives a record the number of fields of the file, and describes the changes. */
function repaired(fields: Field[], width: number, blank: boolean): string[] {
  const found = fields.length
  if (blank && width > 1) {
    while (fields.length < width) fields.push({ text: '', quoted: false })
    return ['the line is empty: all of its fields are NULL']
  }
  if (found > width) {
    fields.length = width
    return [`${fieldsInstead(found, width)}: the surplus was dropped`]
  }
  if (found === width) return []
  while (fields.length < width) fields.push({ text: '', quoted: false })
  return [`${fieldsInstead(found, width)}: the missing ones at its end are NULL`]
}

/**
 * Passes the same rows to `write` as strict UTF-8 CSV: one kind of line end, the same number of fields in every line,
 * and a header if the file has one. Uses bounded memory. Returns warnings about the lines that had to be repaired.
 * `literalQuotes`: offsets of quotes that never close; they are read as text. `rewriteAll`: also parses and rewrites
 * records that seem strict.
 */
export async function normaliseCsv(
  file: TextFile,
  shape: CsvShape,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<Copy>,
  literalQuotes: readonly number[],
  rewriteAll: boolean,
  signal: AbortSignal,
): Promise<{ path: string; rows: number; longest: number; warnings: LineWarnings }> {
  const warnings = collectWarnings()
  const width = shape.names.length
  let rows = 0
  let longest = 0
  let headerToCome = shape.header
  let parts: Uint8Array[] = []
  let size = 0
  const add = (bytes: Uint8Array) => {
    parts.push(bytes, lineEnd)
    size += bytes.length + 1
    if (bytes.length > longest) longest = bytes.length
  }
  const writeFields = (fields: Field[]) => {
    const only = fields.length === 1 ? fields[0] : undefined
    const text =
      only !== undefined && !only.quoted && only.text === ''
        ? NULL_MARK
        : recordOf(fields, shape.delimiter, shape.quote)
    add(Buffer.from(text, 'utf8'))
  }
  const scanner = new RecordScanner(
    scanDialect(shape),
    (record) => {
      const blank = record.end === record.start
      if (headerToCome) {
        if (blank) return
        headerToCome = false
        writeFields(shape.names.map((text) => ({ text, quoted: shape.quote !== '' })))
        return
      }
      rows += 1
      const bytes = record.bytes.subarray(record.start, record.end)
      const undecodable = file.utf8 ? !isUtf8(bytes) : replacedCharacter(bytes)
      if (!rewriteAll && record.oddities === 0 && record.fields === width && !undecodable) {
        add(bytes)
        return
      }
      const fields = fieldsOf(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), shape.delimiter, shape.quote)
      const messages = repaired(fields, width, blank)
      if (undecodable) messages.push('invalid bytes were replaced by U+FFFD')
      if ((record.oddities & oddity.textAfterQuote) !== 0) messages.push('text after a closing quote was kept')
      if ((record.oddities & oddity.unclosedQuote) !== 0) messages.push('a quote that never closes was read as text')
      if (messages.length > 0) warnings.add({ line: record.line, message: messages.join('; ') })
      writeFields(fields)
    },
    new Set(literalQuotes),
  )
  async function* output(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.chunks()) {
      signal.throwIfAborted()
      scanner.push(chunk)
      if (size >= OUT) {
        yield Buffer.concat(parts)
        parts = []
        size = 0
      }
    }
    scanner.end()
    yield Buffer.concat(parts)
  }
  const { path } = await write(output())
  return { path, rows, longest, warnings: warnings.all() }
}

const lineEnd = Buffer.from('\n')

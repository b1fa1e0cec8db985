import { isUtf8 } from 'node:buffer'
import { refused } from '../failures.ts'
import type { TextFile } from './bytes.ts'
import { RecordScanner } from './scan.ts'
import { type CsvShape, scanDialect } from './shape.ts'

/** Maximum length of a line. Longer lines would need too much memory. */
export const LONGEST_RECORD = 256 << 20

const MAX_READINGS = 4

/** The result of a strict check of a whole file. */
export interface CsvCheck {
  /** Number of records, without the header. */
  rows: number
  /** Bytes of the longest record. */
  longest: number
  /**
   * Whether the engine can read the file as it is: every record is strict CSV with all its fields, in UTF-8, with one
   * kind of line end.
   */
  clean: boolean
  /** Whether the file is valid UTF-8, if it claims to be UTF-8. */
  isUtf8: boolean
  /** Offsets of quotes that open a field and never close: they are read as text. */
  literalQuotes: number[]
}

async function checkOnce(
  file: TextFile,
  shape: CsvShape,
  literalQuotes: ReadonlySet<number>,
  name: string,
  signal: AbortSignal,
): Promise<CsvCheck> {
  let rows = 0
  let odd = !file.utf8
  let isText = true
  let isHeaderNext = shape.header
  const width = shape.names.length
  const scanner = new RecordScanner(
    scanDialect(shape),
    (record) => {
      if (record.oddities !== 0 || record.fields !== width) {
        odd = true
        if (isHeaderNext && record.end === record.start) return
      }
      if (isHeaderNext) isHeaderNext = false
      else rows += 1
    },
    literalQuotes,
  )
  // UTF-8 is checked chunk by chunk. Each chunk is cut before its last character, which is prepended to the next chunk.
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of file.chunks()) {
    signal.throwIfAborted()
    scanner.push(chunk)
    if (scanner.pending > LONGEST_RECORD) throw refused(name, 'has a line of more than 256 MiB: a quote may be missing')
    if (!file.utf8 || !isText) continue
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = lastCharacterStart(bytes)
    if (!isUtf8(bytes.subarray(0, end))) isText = false
    rest = bytes.slice(end)
  }
  scanner.end()
  if (file.utf8 && isText && !isUtf8(rest)) isText = false
  const { unclosedAt } = scanner
  const clean = !odd && isText && !scanner.mixedLineEnds && unclosedAt === null && literalQuotes.size === 0
  return {
    rows,
    longest: scanner.longest,
    clean,
    isUtf8: isText,
    literalQuotes: unclosedAt === null ? [...literalQuotes] : [...literalQuotes, unclosedAt],
  }
}

/**
 * Reads the whole file in bounded memory and checks whether the engine can read it as it is. A quote that never closes
 * would swallow every later line. So it is treated as text, and the file is read again, at most a few times.
 */
export async function checkCsv(file: TextFile, shape: CsvShape, name: string, signal: AbortSignal): Promise<CsvCheck> {
  let check = await checkOnce(file, shape, new Set(), name, signal)
  for (let readings = 1; readings < MAX_READINGS; readings += 1) {
    const known = check.literalQuotes.length
    if (known < readings) break
    check = await checkOnce(file, shape, new Set(check.literalQuotes), name, signal)
  }
  return check
}

function lastCharacterStart(bytes: Uint8Array): number {
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length - back + 1
    if (byte >= 0xc0) return bytes.length - back
  }
  return bytes.length
}

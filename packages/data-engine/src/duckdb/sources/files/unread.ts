import { extname } from 'node:path'
import type { SkippedFiles } from '../../../dataset.ts'

const known = 'csv, tsv, json, ndjson, jsonl, parquet, and databases of SQLite and DuckDB are read'

const reasons: readonly (readonly [endings: string, reason: string])[] = [
  ['xlsx xls xlsm xlsb', 'Excel is not read. Save each sheet as CSV.'],
  ['ods', 'OpenDocument is not read. Save each sheet as CSV.'],
  ['avro', 'Avro is not read. Convert it to Parquet.'],
  ['orc', 'ORC is not read. Convert it to Parquet.'],
  ['arrow feather', 'Arrow is not read. Convert it to Parquet.'],
  ['xml', 'XML is not read. Convert it to JSON or CSV.'],
  ['zip tar tgz 7z rar', 'An archive is not read. Unpack it.'],
  ['bz2 xz lz4 snappy', 'This compression is not read. Use gzip or Zstandard, such as orders.csv.gz.'],
]
const reasonOf = new Map(reasons.flatMap(([endings, reason]) => endings.split(' ').map((ending) => [ending, reason])))

/** Why a file of an unknown format is not read. */
export function whyUnread(path: string): string {
  const ending = extname(path).slice(1).toLowerCase()
  const reason = reasonOf.get(ending)
  if (reason !== undefined) return reason
  return ending === ''
    ? `A file without an extension is not read: ${known}.`
    : `Files in .${ending} are not read: ${known}.`
}

const maxListed = 100

/** Counts files that are not read, and keeps the first ones. */
export function collectSkipped(): { add(file: { path: string; message: string }): void; all(): SkippedFiles } {
  let total = 0
  const first: SkippedFiles['first'] = []
  return {
    add({ path, message }) {
      total += 1
      if (first.length < maxListed) first.push({ path, message })
    },
    all: () => ({ total, first }),
  }
}

export const nothingSkipped: SkippedFiles = { total: 0, first: [] }

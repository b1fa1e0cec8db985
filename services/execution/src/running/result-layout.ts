import type { KeptRows, Measured } from '@assay/data-engine'
import type { AcceptedRun, KeptFile, RunResult } from '../execution/run.ts'
import type { ResultKeys } from './result-keys.ts'

/** One file of a result folder: moved from the engine's folder, or written. */
export type ResultFile = { name: string; from: string } | { name: string; text: string }
/** What is to stand below a key. */
export interface ResultFolder {
  key: string
  files: ResultFile[]
}

export interface ResultLayout {
  files: RunResult['files']
  /** All folders but that of the metadata, which can only be written when the files are known. */
  rows: ResultFolder[]
}

export const metadataFile = 'part-0.json'
const previewFile = 'preview.json'
/** In UTF-8 this is below the 16 MiB that artifacts give back as text. */
const previewCharacters = 5_000_000
const shortenedCharacters = 1000

/**
 * Which file of a run goes where: `part-<n>.<format>` below each category's key, and beside it a preview of the first
 * rows, which only Assay reads.
 */
export function resultLayout(options: {
  keys: ResultKeys
  measured: Pick<Measured, 'bad' | 'good' | 'columns'>
  configuration: AcceptedRun['configuration']
}): ResultLayout {
  const { keys, measured, configuration } = options
  const fields = measured.columns.map(({ name, dataType }) => ({ name, type: dataType, nullable: true }))
  const rows: ResultFolder[] = []
  const place = (category: 'bad' | 'good', kept: KeptRows | null): KeptFile | null => {
    if (!kept) return null
    const key = keys[category]
    const parts = kept.files.map((from) => ({ name: from.slice(from.lastIndexOf('/') + 1), from }))
    const preview = { name: previewFile, text: previewText(fields, kept.preview) }
    rows.push({ key, files: [...parts, preview] })
    const { format } = configuration[category]
    return { key, file: parts[0]?.name ?? null, previewFile, format, rows: kept.count }
  }
  const bad = place('bad', measured.bad)
  const good = place('good', measured.good)
  return { files: { root: keys.root, metadata: { key: keys.metadata, file: metadataFile }, bad, good }, rows }
}

type PreviewRow = KeptRows['preview'][number]

/** Without half of a character at its end. */
const beginningOf = (text: string) => text.slice(0, shortenedCharacters).replace(/[\ud800-\udbff]$/, '')

/** The row with its long values as the beginning of their text: for a row that would leave no room for others. */
function shortened(row: PreviewRow): PreviewRow {
  const values = Object.entries(row.values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return [name, text.length > shortenedCharacters ? `${beginningOf(text)}…` : value]
  })
  return { ...row, values: Object.fromEntries(values) }
}

/** A row of at most `most` characters, or what is left of it. */
function previewRow(row: PreviewRow, most: number): string {
  // Writing very long texts out only to measure them would hold up the process.
  const ofTexts = Object.values(row.values).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
  const whole = ofTexts > most ? undefined : JSON.stringify(row)
  return whole === undefined || whole.length > most ? JSON.stringify(shortened(row)) : whole
}

/** As many of the first rows as fit: a row may hold a very large value, of which the beginning is enough to tell it by. */
function previewText(fields: readonly object[], preview: KeptRows['preview']): string {
  const rows: string[] = []
  let room = previewCharacters
  for (const row of preview) {
    const text = previewRow(row, previewCharacters / preview.length)
    room -= text.length
    if (room < 0) break
    rows.push(text)
  }
  return `{"fields":${JSON.stringify(fields)},"rows":[${rows.join(',')}]}`
}

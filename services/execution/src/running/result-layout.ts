import { cutText } from '@assay/contracts'
import { type DifferingRow, type KeptDifferences, type KeptRows, keptName } from '@assay/data-engine'
import type { AcceptedRun, KeptFile, RunResult } from '../execution/run.ts'
import type { Kept } from './ask-engine.ts'
import type { ResultKeys } from './result-keys.ts'

/** One file of a result folder: moved from the engine's folder, or written. */
export type ResultFile = { name: string; from: string } | { name: string; text: string }
/** The files below a key. */
export interface ResultFolder {
  key: string
  files: ResultFile[]
}

export interface ResultLayout {
  files: RunResult['files']
  /** All folders except the metadata folder, which is written last because it names the files. */
  rows: ResultFolder[]
}

export const metadataFile = 'part-0.json'
const previewFile = 'preview.json'
/** Maximum length of the preview. In UTF-8 it stays below 16 MiB, the maximum that artifacts return as text. */
const previewCharacters = 5_000_000
const shortenedCharacters = 1000

/**
 * The location of each file of a run: `part-<n>.<format>` below each category's key, and a preview of the first rows
 * that only Assay reads.
 */
export function resultLayout(options: {
  keys: ResultKeys
  kept: Kept | null
  configuration: AcceptedRun['configuration']
}): ResultLayout {
  const { keys, kept: all, configuration } = options
  const { bad: badRows, good: goodRows, columns, sides } = storedRowsOf(all)
  const fields = columns.map(({ name, dataType }) => ({ name, type: dataType, nullable: true }))
  const rows: ResultFolder[] = []
  const layOut = (category: 'bad' | 'good', kept: StoredRows['bad']): KeptFile | null => {
    if (!kept) return null
    const key = keys[category]
    const parts = kept.files.map((from) => ({ name: from.slice(from.lastIndexOf('/') + 1), from }))
    const preview = { name: previewFile, text: previewText(fields, kept.preview) }
    rows.push({ key, files: [...parts, preview] })
    const { format } = configuration[category]
    const file = parts[0]?.name ?? null
    return { key, file, previewFile, format, rows: kept.count, ...(sides ? { sides } : {}) }
  }
  const bad = layOut('bad', badRows)
  const good = layOut('good', goodRows)
  return { files: { root: keys.root, metadata: { key: keys.metadata, file: metadataFile }, bad, good }, rows }
}

type PreviewRow = KeptRows['preview'][number]

interface StoredRows {
  bad: Pick<KeptRows, 'count' | 'files' | 'preview'> | null
  good: KeptRows | null
  columns: readonly { name: string; dataType: string }[]
  sides?: KeptFile['sides']
}

/** The rows that differ are the bad rows of a comparison, with the columns of both sides. */
function storedRowsOf(kept: Kept | null): StoredRows {
  if (kept === null) return { bad: null, good: null, columns: [] }
  if (kept.kind === 'ROWS') {
    const columns = kept.columns.map(({ name, dataType }) => ({ name: keptName(name), dataType }))
    return { ...kept, columns }
  }
  const { itemIds } = kept
  const { count, files, columns, preview } = kept.differing
  const own = [
    { name: '__difference', dataType: 'VARCHAR' },
    { name: '__changed_columns', dataType: 'VARCHAR[]' },
  ]
  const rows = preview.map((row) => ({ values: flatRow(row, columns), ruleItemIds: [...itemIds] }))
  return { bad: { count, files, preview: rows }, good: null, columns: [...own, ...columns], sides: columns }
}

function flatRow(row: DifferingRow, columns: KeptDifferences['columns']): PreviewRow['values'] {
  const cells = columns.map(({ name, side, column }) => [
    name,
    (side === 'LEFT' ? row.left : row.right)?.[column] ?? null,
  ])
  return { __difference: row.difference, __changed_columns: row.changedColumns, ...Object.fromEntries(cells) }
}

/** The row with long values cut, so that other rows fit too. The names of changed columns stay. */
function shortened(row: PreviewRow): PreviewRow {
  const values = Object.entries(row.values).map(([name, value]) => {
    if (name === '__changed_columns') return [name, value]
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return [name, text.length > shortenedCharacters ? `${cutText(text, shortenedCharacters)}…` : value]
  })
  return { ...row, values: Object.fromEntries(values) }
}

/** The row as text, cut if it has more than `maxCharacters`. */
function previewRow(row: PreviewRow, maxCharacters: number): string {
  // Serialising very long texts only to measure them would block the event loop.
  const ofTexts = Object.values(row.values).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
  const whole = ofTexts > maxCharacters ? undefined : JSON.stringify(row)
  return whole === undefined || whole.length > maxCharacters ? JSON.stringify(shortened(row)) : whole
}

/** The first rows, as many as fit. Very large values are cut. */
function previewText(fields: readonly object[], preview: KeptRows['preview']): string {
  const rows: string[] = []
  let left = previewCharacters
  for (const row of preview) {
    const text = previewRow(row, previewCharacters / preview.length)
    left -= text.length
    if (left < 0) break
    rows.push(text)
  }
  return `{"fields":${JSON.stringify(fields)},"rows":[${rows.join(',')}]}`
}

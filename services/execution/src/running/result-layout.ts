import { cutText } from '@assay/contracts'
import { type AgreeingRow, type DifferingRow, type KeptDifferences, type KeptRows, keptName } from '@assay/data-engine'
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
  const { bad: badRows, good: goodRows, sides } = storedRowsOf(all)
  const rows: ResultFolder[] = []
  const layOut = (category: 'bad' | 'good', kept: StoredRows['bad']): KeptFile | null => {
    if (!kept) return null
    const key = keys[category]
    const parts = kept.files.map((from) => ({ name: from.slice(from.lastIndexOf('/') + 1), from }))
    const fields = kept.columns.map(({ name, dataType }) => ({ name, type: dataType, nullable: true }))
    const preview = { name: previewFile, text: previewText(fields, kept.preview) }
    rows.push({ key, files: [...parts, preview] })
    const { format } = configuration[category]
    const file = parts[0]?.name ?? null
    const { count, stored } = kept
    const compared = sides === undefined || stored === undefined ? {} : { stored, sides }
    return { key, file, previewFile, format, rows: count, ...compared }
  }
  const bad = layOut('bad', badRows)
  const good = layOut('good', goodRows)
  return { files: { root: keys.root, metadata: { key: keys.metadata, file: metadataFile }, bad, good }, rows }
}

type PreviewRow = KeptRows['preview'][number]

interface StoredCategory extends Pick<KeptRows, 'count' | 'files' | 'preview'> {
  columns: readonly { name: string; dataType: string }[]
  stored?: number
}

interface StoredRows {
  bad: StoredCategory | null
  good: StoredCategory | null
  sides?: KeptFile['sides']
}

/** The bad rows of a comparison are those that differ, the good ones those that agree, with the columns of both sides. */
function storedRowsOf(kept: Kept | null): StoredRows {
  if (kept === null) return { bad: null, good: null }
  if (kept.kind === 'ROWS') {
    const columns = kept.columns.map(({ name, dataType }) => ({ name: keptName(name), dataType }))
    return { bad: kept.bad && { ...kept.bad, columns }, good: kept.good && { ...kept.good, columns } }
  }
  const { differing, agreeing, itemIds } = kept
  const sides = (differing ?? agreeing)?.columns ?? []
  const own = [
    { name: '__difference', dataType: 'VARCHAR' },
    { name: '__changed_columns', dataType: 'VARCHAR[]' },
  ]
  const bad = differing && {
    ...differing,
    columns: [...own, ...sides],
    preview: differing.preview.map((row) => {
      const { difference, changedColumns } = row
      const values = { __difference: difference, __changed_columns: changedColumns, ...flatRow(row, sides) }
      return { values, ruleItemIds: [...itemIds] }
    }),
  }
  const good = agreeing && {
    ...agreeing,
    preview: agreeing.preview.map((row) => ({ values: flatRow(row, sides), ruleItemIds: [] })),
  }
  return { bad, good, sides }
}

function flatRow(row: DifferingRow | AgreeingRow, columns: KeptDifferences['columns']): PreviewRow['values'] {
  const cells = columns.map(({ name, side, column }) => [
    name,
    (side === 'LEFT' ? row.left : row.right)?.[column] ?? null,
  ])
  return Object.fromEntries(cells)
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

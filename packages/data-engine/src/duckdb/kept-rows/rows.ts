import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { idsColumn } from '../../kept-rows/format.ts'
import type { KeptRows, PreviewRow, RowFormat } from '../../plan.ts'
import type { ColumnInfo } from '../../port.ts'
import type { Rows } from '../../sql/compile.ts'
import { type Fragment, raw } from '../../sql/fragment.ts'
import { quoteName } from '../../sql/quote.ts'
import { read, readRow } from '../child/database.ts'
import { move } from '../file-part.ts'
import { jsonRows } from '../values.ts'
import { writeJsonLines } from './json-lines.ts'
import {
  badRows,
  copyCsv,
  copyParquet,
  countBad,
  countIds,
  goodRows,
  type Keeper,
  keptColumns,
  readKept,
  readSorted,
} from './sql.ts'

export interface KeepRequest {
  format: RowFormat
  limit: number | null
}

/** The rows to store, and where. */
export interface Keeping {
  connection: DuckDBConnection
  rows: Rows
  columns: readonly ColumnInfo[]
  outputFolder: string
  tempFolder: string
  preview: number
}

export interface WrittenRows {
  /** A Parquet file, also if another format is requested. */
  file: string
  written: number
  /** Whether the limit excluded some rows. */
  cut: boolean
}

interface PlacedRows {
  file: string
  format: RowFormat
  columns: readonly ColumnInfo[]
  isSorted?: boolean
}

export type Side = 'bad' | 'good'

const extension: { [format in RowFormat]: string } = { PARQUET: 'parquet', CSV: 'csv', JSON: 'json' }

/** Writes the rows of a query as Parquet into the folder `name` in the temp folder. Replaces its content. */
export async function writeParquet(
  { connection, tempFolder }: Pick<Keeping, 'connection' | 'tempFolder'>,
  name: string,
  query: Fragment,
  rowGroup?: number,
): Promise<{ file: string; written: number }> {
  const folder = path.join(tempFolder, name)
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, 'rows.parquet')
  const [written] = await readRow(connection, copyParquet(query, file, rowGroup))
  return { file, written: Number(written ?? 0) }
}

/** Writes the rows of one side as Parquet into the temp folder. A second call replaces the file. */
export async function writeRows(
  keeping: Keeping,
  side: Side,
  keepers: readonly Keeper[],
  request: KeepRequest,
): Promise<WrittenRows> {
  const select = side === 'bad' ? badRows : goodRows
  const query = select(keeping.rows, keeping.columns, keepers, request.limit)
  const { file, written } = await writeParquet(keeping, side, query)
  return { file, written, cut: request.limit !== null && written >= request.limit }
}

/** The number of rows that fail at least one keeper. */
export async function countBadRows(keeping: Keeping, keepers: readonly Keeper[]): Promise<number> {
  const [count] = await readRow(keeping.connection, countBad(keeping.rows, keepers))
  return Number(count ?? 0)
}

/** The number of written bad rows that fail each keeper. */
export async function countByKeeper(connection: DuckDBConnection, written: WrittenRows): Promise<Map<number, number>> {
  const reader = await read(connection, countIds(written.file))
  return new Map(reader.getRows().map(([id, count]) => [Number(id ?? 0), Number(count ?? 0)]))
}

async function previewRows(keeping: Keeping, file: string): Promise<PreviewRow[]> {
  const reader = await read(keeping.connection, raw(`SELECT * FROM ${readKept(file)} LIMIT ${keeping.preview}`))
  return jsonRows(reader).map(({ [idsColumn]: ids, ...values }) => ({
    values,
    ruleItemIds: Array.isArray(ids) ? ids.map(Number) : [],
  }))
}

/**
 * Moves written rows to the output folder, in their format. `count`: the number of all rows of that side, including
 * those beyond the limit.
 */
export async function finishRows(
  keeping: Keeping,
  side: Side,
  written: WrittenRows,
  format: RowFormat,
  count: number,
): Promise<KeptRows> {
  const preview = await previewRows(keeping, written.file)
  const columns = keptColumns(keeping.columns, side === 'bad')
  return { count, files: [await placeRows(keeping, side, { file: written.file, format, columns })], preview }
}

/**
 * Moves a Parquet file, in its final format, to a path below the output folder. Returns its name there. `isSorted`: the
 * order of its rows must be preserved.
 */
export async function placeRows(
  { connection, outputFolder }: Pick<Keeping, 'connection' | 'outputFolder'>,
  folder: string,
  { file, format, columns, isSorted = false }: PlacedRows,
): Promise<string> {
  const name = `${folder}/part-0.${extension[format]}`
  const target = path.join(outputFolder, name)
  await mkdir(path.dirname(target), { recursive: true })
  if (format === 'PARQUET') {
    await move(file, target)
    return name
  }
  const from = isSorted ? readSorted(file) : readKept(file)
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  if (format === 'JSON') await writeJsonLines(connection, `SELECT ${names} FROM ${from}`, target)
  else await readRow(connection, copyCsv(from, columns, target))
  await rm(file)
  return name
}

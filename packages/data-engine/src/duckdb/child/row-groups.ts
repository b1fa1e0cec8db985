import { stat } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ambiguousFiles, columnsOfGroups, type RowRange } from '../sql/compare-same-groups.ts'
import { numbers } from './compare-side.ts'
import { read, readRow } from './database.ts'

/** With more columns of row groups than this, the footers alone would take too long. */
const mostColumns = 200_000
/** Files begin with four bytes that are not of a row group. */
const firstByte = 4

/**
 * A row group: its rows, the number of its first row in the file, its bytes, and the forms of its columns by name. Row
 * groups with the same bytes have the same values in columns of the same form.
 */
export interface Group {
  file: string
  first: number
  rows: number
  start: number
  bytes: number
  forms: Map<string, string>
}

/** The row groups of Parquet files in order; null if it is uncertain which bytes are those of a column. */
export async function groupsOf(
  connection: DuckDBConnection,
  files: readonly string[],
  names: readonly string[],
): Promise<Group[] | null> {
  const [ambiguous = 0] = numbers(await readRow(connection, ambiguousFiles(files)))
  if (ambiguous > 0) return null
  const found = (await read(connection, columnsOfGroups(files, names, mostColumns + 1))).getRows()
  if (found.length > mostColumns) return null
  const groups: Group[] = []
  let id: unknown
  for (const [path, groupId, rows, start, name, form] of found) {
    const file = String(path)
    const last = groups.at(-1)
    const isNew = last?.file !== file || groupId !== id
    id = groupId
    const first = last?.file === file ? last.first + last.rows : 0
    const made = { file, first, rows: Number(rows), start: Number(start), bytes: 0, forms: new Map<string, string>() }
    const group = isNew ? made : last
    if (isNew) groups.push(made)
    if (group.forms.has(String(name))) return null
    group.forms.set(String(name), String(form))
  }
  return (await measured(groups)) && groups.every(({ forms }) => forms.size === names.length) ? groups : null
}

/** Sets the bytes of each group: up to the next one of its file, or to the end of the file. False if groups overlap. */
async function measured(groups: readonly Group[]): Promise<boolean> {
  for (const [index, group] of groups.entries()) {
    const next = groups[index + 1]
    const end = next?.file === group.file ? next.start : (await stat(group.file)).size
    group.bytes = end - group.start
    if (group.start < firstByte || group.bytes <= 0) return false
  }
  return true
}

/** Neighbouring groups become one range. */
export function rangesOf(groups: readonly Group[]): RowRange[] {
  const ranges: RowRange[] = []
  for (const { file, first, rows } of groups) {
    const before = ranges.at(-1)
    if (before?.file === file && before.last === first - 1) before.last = first + rows - 1
    else ranges.push({ file, first, last: first + rows - 1 })
  }
  return ranges
}

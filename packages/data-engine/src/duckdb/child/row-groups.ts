import type { DuckDBConnection } from '@duckdb/node-api'
import { columnChunks, type RowRange } from '../sql/compare-same-groups.ts'
import { read } from './database.ts'
import type { FileBytes } from './same-bytes.ts'

/** With more pieces than this, the footers alone would take too long. */
const mostChunks = 200_000

/** The bytes of a column of a row group. Bytes of the same form that are the same hold the same values. */
export interface Chunk extends FileBytes {
  form: string
}

/** A row group: its rows, the number of its first row in the file, and the bytes of its columns by name. */
export interface Group {
  file: string
  first: number
  rows: number
  chunks: Map<string, Chunk>
}

/** The row groups of a side in order; null if the bytes of a column cannot be told apart from those of another one. */
export async function groupsOf(
  connection: DuckDBConnection,
  files: readonly string[],
  names: readonly string[],
): Promise<Group[] | null> {
  const found = (await read(connection, columnChunks(files, names, mostChunks + 1))).getRows()
  if (found.length > mostChunks) return null
  const groups = new Map<string, Group>()
  let last: Group | undefined
  for (const [file, id, rows, name, form, start, bytes] of found) {
    const path = String(file)
    const key = `${id} ${path}`
    const first = last?.file === path ? last.first + last.rows : 0
    const group: Group = groups.get(key) ?? { file: path, first, rows: Number(rows), chunks: new Map() }
    if (group.chunks.has(String(name))) return null
    const chunk = { file: path, form: String(form), start: Number(start), bytes: Number(bytes) }
    group.chunks.set(String(name), chunk)
    groups.set(key, group)
    last = group
  }
  const all = [...groups.values()]
  return all.every(({ chunks }) => chunks.size === names.length) ? all : null
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

import { basename, dirname } from 'node:path'
import type { FileFormat } from '../../../dataset.ts'
import { partitionOf } from './format.ts'
import { hasWildcard, literalPath } from './glob.ts'
import type { SourceLocation } from './location.ts'
import type { FoundFile } from './tree.ts'
import type { Found } from './walk.ts'

/** Files that may be one table, before any of them is opened. */
export interface TableFiles {
  /** Names of the folders above the files. */
  path: string[]
  name: string
  /** Absolute path of the one file, or a glob. */
  pattern: string
  format: FileFormat
  partitioned: boolean
  /** Whether the set comes from a glob: it is one table only if its files have the same columns. */
  mustAgree: boolean
  files: FoundFile[]
}

export type TableFound =
  | { kind: 'table'; table: TableFiles }
  | Extract<Found, { kind: 'database' | 'failed' | 'skipped' }>

/** The names of the folders of a path within the source. */
export function folderParts(folder: string): string[] {
  return folder === '' || folder === '.' ? [] : folder.split('/')
}

export function singleTable(file: FoundFile): TableFiles {
  return {
    path: folderParts(dirname(file.relative)),
    name: basename(file.relative),
    pattern: file.path,
    format: file.format,
    partitioned: false,
    mustAgree: false,
    files: [file],
  }
}

function addTo(sets: Map<FileFormat, FoundFile[]>, file: FoundFile): void {
  const set = sets.get(file.format)
  if (set === undefined) sets.set(file.format, [file])
  else set.push(file)
}

/** The locator's pattern of a partitioned folder. */
export function partitionPattern(root: string, folder: string): string {
  return [root, ...folderParts(folder).map(literalPath), '**'].join('/')
}

/** One table per format in a partitioned folder. If there are several formats, the extension is part of the name. */
export function partitionedTables(location: SourceLocation, folder: string, files: readonly FoundFile[]): TableFiles[] {
  const formats = new Map<FileFormat, FoundFile[]>()
  for (const file of files) addTo(formats, file)
  const parts = folderParts(folder)
  const name = parts.at(-1) ?? location.name
  return [...formats].map(([format, members]) => ({
    path: parts.slice(0, -1),
    name: formats.size === 1 ? name : `${name}.${format.toLowerCase()}`,
    pattern: partitionPattern(location.tree.root, folder),
    format,
    partitioned: true,
    mustAgree: false,
    files: members,
  }))
}

/** The name for a glob: `orders` for `orders-*.csv`. If nothing but wildcards remains, the folder's name is used. */
function globName(location: SourceLocation, glob: string): string {
  const last = basename(glob)
  const stem = last.replace(/(\.[a-z]+)+$/i, '')
  const words = stem.replace(/\[[^\]]*\]|\{[^}]*\}|[*?]/g, '').replace(/^[-_. ]+|[-_. ]+$/g, '')
  return words === '' ? (folderParts(dirname(glob)).at(-1) ?? location.name) : words
}

/**
 * The folder of a glob whose wildcards are only in its last segment, so that all files are in one folder; otherwise
 * null.
 */
function globFolder(glob: string): string | null {
  const folder = dirname(glob)
  return hasWildcard(folder) ? null : folder === '.' ? '' : folder
}

/**
 * Groups the files that a walk finds into tables. If `path` is a glob with wildcards only in its last segment, collects
 * all files of one format in one set, which must fit into memory. Passes on everything else as it is found.
 */
export async function* tablesOf(location: SourceLocation, found: AsyncIterable<Found>): AsyncGenerator<TableFound> {
  const folder = location.glob === null ? null : globFolder(location.glob)
  const sets = new Map<FileFormat, FoundFile[]>()
  for await (const item of found) {
    if (item.kind === 'failed' || item.kind === 'database' || item.kind === 'skipped') yield item
    else if (item.kind === 'partitioned') {
      for (const table of partitionedTables(location, item.folder, item.files)) yield { kind: 'table', table }
    } else if (folder !== null) addTo(sets, item.file)
    else yield { kind: 'table', table: singleTable(item.file) }
  }
  for (const [format, files] of sets) {
    const glob = location.glob ?? ''
    const name = globName(location, glob)
    yield {
      kind: 'table',
      table: {
        path: folderParts(folder ?? ''),
        name: sets.size === 1 ? name : `${name}.${format.toLowerCase()}`,
        pattern: `${location.tree.root}/${glob}`,
        format,
        partitioned: false,
        mustAgree: true,
        files,
      },
    }
  }
}

/** The keys of the `key=value` folders of a set, in order, with the values that occur. */
export function partitionValues(files: readonly FoundFile[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>()
  for (const file of files) {
    for (const part of file.relative.split('/').slice(0, -1)) {
      const partition = partitionOf(part)
      if (partition === null) continue
      const seen = values.get(partition.key) ?? new Set<string>()
      seen.add(partition.value)
      values.set(partition.key, seen)
    }
  }
  return values
}

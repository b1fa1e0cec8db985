import { basename } from 'node:path'
import { unreadable } from '../failures.ts'
import { isHidden, partitionOf } from './format.ts'
import { isMarkOfTable, whyNotLoose } from './table-formats.ts'
import type { FileTree, FoundDatabase, FoundFile } from './tree.ts'

const DEEPEST = 32

const amongPartitions =
  'is a database among partitioned folders, which are read as one table: it was skipped; move it to a folder of its own'

/** An entry of a source. Entries come folder by folder, sorted by the code units of names. */
export type Found =
  | { kind: 'file'; file: FoundFile }
  /** All files below a folder whose subfolders are named `key=value`. */
  | { kind: 'partitioned'; folder: string; files: FoundFile[] }
  | { kind: 'database'; file: FoundDatabase }
  | { kind: 'failed'; path: string; message: string }
  /** A file of a format that is not read, or the folder of a table of such a format. */
  | { kind: 'skipped'; path: string; message: string }

export interface WalkOptions {
  tree: FileTree
  accepts(relative: string): boolean
  /** Whether a folder is excluded, with everything below it. */
  excludes(relative: string): boolean
  signal: AbortSignal
}

/** Adds the files one by one, because a call of `push` with all of them could have too many arguments. */
export function addFiles(files: FoundFile[], found: Extract<Found, { kind: 'file' | 'partitioned' }>): void {
  for (const file of found.kind === 'file' ? [found.file] : found.files) files.push(file)
}

interface Entry {
  relative: string
  isFolder: boolean
}

async function* walkFolder(options: WalkOptions, folder: string, depth: number): AsyncGenerator<Found> {
  const { tree, signal } = options
  signal.throwIfAborted()
  const shown = folder === '' ? '.' : folder
  if (depth > DEEPEST) {
    yield { kind: 'failed', path: shown, message: `${shown} lies more than ${DEEPEST} folders deep: it was skipped.` }
    return
  }
  let names: string[]
  try {
    names = await tree.names(folder)
  } catch (error) {
    yield { kind: 'failed', path: shown, message: unreadable(error, shown).message }
    return
  }
  const format = names.some(isMarkOfTable) ? await tree.tableFormatAt(folder) : null
  if (format !== null) {
    yield { kind: 'skipped', path: shown, message: `${folder === '' ? 'The folder' : shown} ${whyNotLoose(format)}` }
    return
  }
  const partitions: string[] = []
  const others: Entry[] = []
  for (const name of names) {
    const relative = folder === '' ? name : `${folder}/${name}`
    if (isHidden(name) || options.excludes(relative)) continue
    try {
      const kind = await tree.kindOf(relative)
      if (kind === 'own') continue
      if (kind === 'folder' && partitionOf(name) !== null) partitions.push(relative)
      else others.push({ relative, isFolder: kind === 'folder' })
    } catch (error) {
      yield { kind: 'failed', path: relative, message: unreadable(error, relative).message }
    }
  }
  // Partitions come first: they decide whether other files in the folder can be tables.
  const below = yield* walkPartitions(options, partitions, depth)
  const isPartition = partitionOf(basename(folder)) !== null
  const files = isPartition ? below : yield* ofSameKeys(below, folder)
  const isTable = files.length > 0 && !isPartition && folder !== ''
  for (const other of others) {
    for await (const found of walkEntry(options, other, depth)) yield isTable ? nextToPartitions(found, folder) : found
  }
  if (files.length > 0) yield { kind: 'partitioned', folder, files }
}

async function* walkEntry(options: WalkOptions, { relative, isFolder }: Entry, depth: number): AsyncGenerator<Found> {
  if (isFolder) {
    yield* walkFolder(options, relative, depth + 1)
    return
  }
  if (!options.accepts(relative)) return
  try {
    const file = await options.tree.fileAt(relative)
    if (file === null) return
    if ('failed' in file) yield { kind: 'failed', path: relative, message: `${relative} ${file.failed}.` }
    else if ('unread' in file) yield { kind: 'skipped', path: relative, message: file.unread }
    else if ('engine' in file) yield { kind: 'database', file }
    else yield { kind: 'file', file }
  } catch (error) {
    yield { kind: 'failed', path: relative, message: unreadable(error, relative).message }
  }
}

/** The files in the partitions of a folder. */
async function* walkPartitions(
  options: WalkOptions,
  partitions: readonly string[],
  depth: number,
): AsyncGenerator<Found, FoundFile[]> {
  const files: FoundFile[] = []
  for (const partition of partitions) {
    for await (const found of walkFolder(options, partition, depth + 1)) {
      if (found.kind === 'file' || found.kind === 'partitioned') addFiles(files, found)
      else if (found.kind === 'failed' || found.kind === 'skipped') yield found
      else yield { kind: 'failed', path: found.file.relative, message: `${found.file.relative} ${amongPartitions}.` }
    }
  }
  return files
}

const keysOf = ({ relative }: FoundFile) => relative.split('/').flatMap((part) => partitionOf(part)?.key ?? [])

/**
 * The partitions of one table must have the same keys. Takes the keys that most files have or, in a tie, the deeper
 * ones.
 */
function* ofSameKeys(all: FoundFile[], folder: string): Generator<Found, FoundFile[]> {
  const sets = Map.groupBy(all, (file) => JSON.stringify(keysOf(file)))
  if (sets.size < 2) return all
  const [files = [], ...others] = [...sets.values()].sort(
    (a, b) => b.length - a.length || (b[0] ? keysOf(b[0]).length : 0) - (a[0] ? keysOf(a[0]).length : 0),
  )
  const [keys = []] = files.map(keysOf)
  const message = `Most files of ${folder || 'the source'} are in folders of ${keys.map((key) => `${key}=`).join(' and ')} and are read as one table, but this file is not. Move it.`
  for (const { relative } of others.flat()) yield { kind: 'skipped', path: relative, message }
  return files
}

/**
 * Files next to partitions are not tables, because their folder already is a table, which cannot contain other tables.
 */
function nextToPartitions(found: Found, folder: string): Found {
  const message = `It is next to the partitions of ${folder}, which are read as one table. Move it out of ${folder}.`
  switch (found.kind) {
    case 'failed':
    case 'skipped':
      return found
    case 'file':
    case 'database':
      return { kind: 'skipped', path: found.file.relative, message }
    case 'partitioned':
      return { kind: 'skipped', path: found.folder, message }
    default:
      return found satisfies never
  }
}

/**
 * Emits everything below `folder` of a source (default: the whole source). Needs memory for one folder, or one
 * partitioned table.
 */
export function walk(options: WalkOptions, folder = ''): AsyncGenerator<Found> {
  return walkFolder(options, folder, 0)
}

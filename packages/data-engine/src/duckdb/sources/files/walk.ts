import { lstat, open, opendir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileFormat } from '../../../dataset.ts'
import type { PathGuard } from '../../../path-access.ts'
import { unreadable } from '../failures.ts'
import {
  type DatabaseEngine,
  databaseEngineOf,
  formatOf,
  isHidden,
  maybeDatabase,
  mustBeDatabase,
  partitionOf,
} from './format.ts'
import { whyUnread } from './unread.ts'

const DEEPEST = 32

const amongPartitions =
  'is a database among partitioned folders, which are read as one table: it was skipped; move it to a folder of its own'

/** A file with a known extension. `relative` uses `/` and is relative to the root. */
export interface FoundFile {
  relative: string
  path: string
  format: FileFormat
  size: number
  mtimeMs: number
}

/** A file with the signature of SQLite or DuckDB. */
export interface FoundDatabase {
  relative: string
  path: string
  engine: DatabaseEngine
}

/** An entry of a source. Entries come folder by folder, sorted by the code units of names. */
export type Found =
  | { kind: 'file'; file: FoundFile }
  /** All files below a folder whose subfolders are named `key=value`. */
  | { kind: 'partitioned'; folder: string; files: FoundFile[] }
  | { kind: 'database'; file: FoundDatabase }
  | { kind: 'failed'; path: string; message: string }
  /** A file of a format that is not read. */
  | { kind: 'skipped'; path: string; message: string }

export interface WalkOptions {
  /** Absolute, resolved. */
  root: string
  accepts(relative: string): boolean
  /** Whether a folder is excluded, with everything below it. */
  excludes(relative: string): boolean
  guard: PathGuard
  signal: AbortSignal
}

function below(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  for await (const entry of await opendir(folder)) names.push(entry.name)
  return names.sort((a, b) => (a < b ? -1 : 1))
}

/** The engine whose signature a file begins with, or null. */
async function engineAt(path: string): Promise<DatabaseEngine | null> {
  const handle = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0)
    return databaseEngineOf(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** A file of the source, or why it cannot be read; null for anything but a file. */
export async function fileAt(
  root: string,
  relative: string,
  guard: PathGuard,
): Promise<FoundFile | FoundDatabase | { failed: string } | { unread: string } | null> {
  const path = relative === '' ? root : join(root, relative)
  const format = formatOf(relative === '' ? root : relative)
  const database = maybeDatabase(relative === '' ? root : relative)
  const own = await lstat(path)
  if (own.isSymbolicLink()) {
    const target = await realpath(path).catch(() => null)
    if (target === null) return format === null && !database ? null : { failed: 'is a link to nothing: it was skipped' }
    if (!below(root, target)) return { failed: 'is a link that leads out of the source: it was skipped' }
    if (guard.isOwn(target)) return { failed: "is a link into Assay's own data folder: it was skipped" }
  }
  const info = own.isSymbolicLink() ? await stat(path) : own
  if (info.isDirectory()) return own.isSymbolicLink() ? { unread: 'Links to folders are not followed.' } : null
  if (!info.isFile()) return { unread: 'Only files are read: this is a pipe, a socket or a device.' }
  if (info.nlink > 1 && (await guard.refusal(path)) !== null)
    return { failed: "is a link into Assay's own data folder: it was skipped" }
  if (database) {
    const engine = await engineAt(path)
    if (engine !== null) return { relative, path, engine }
    return mustBeDatabase(path)
      ? { failed: 'is not a database file of SQLite or DuckDB: it is damaged or encrypted' }
      : { unread: 'This is not a database of SQLite or DuckDB.' }
  }
  if (format === null) return { unread: whyUnread(path) }
  return { relative, path, format, size: info.size, mtimeMs: info.mtimeMs }
}

/** Adds files one by one, because a call to `push` cannot take as many arguments as there may be files. */
export function addFiles(files: FoundFile[], found: Extract<Found, { kind: 'file' | 'partitioned' }>): void {
  for (const file of found.kind === 'file' ? [found.file] : found.files) files.push(file)
}

interface Entry {
  relative: string
  isFolder: boolean
}

async function* walkFolder(options: WalkOptions, folder: string, depth: number): AsyncGenerator<Found> {
  const { root, guard, signal } = options
  signal.throwIfAborted()
  const shown = folder === '' ? '.' : folder
  if (depth > DEEPEST) {
    yield { kind: 'failed', path: shown, message: `${shown} lies more than ${DEEPEST} folders deep: it was skipped.` }
    return
  }
  let names: string[]
  try {
    names = await namesIn(join(root, folder))
  } catch (error) {
    yield { kind: 'failed', path: shown, message: unreadable(error, shown).message }
    return
  }
  const partitions: string[] = []
  const others: Entry[] = []
  for (const name of names) {
    const relative = folder === '' ? name : `${folder}/${name}`
    if (isHidden(name) || options.excludes(relative)) continue
    try {
      const info = await lstat(join(root, relative))
      // The root is a real path and links to folders are not followed, so this is the folder's real path.
      if (info.isDirectory() && guard.isOwn(join(root, relative))) continue
      if (info.isDirectory() && partitionOf(name) !== null) partitions.push(relative)
      else others.push({ relative, isFolder: info.isDirectory() })
    } catch (error) {
      yield { kind: 'failed', path: relative, message: unreadable(error, relative).message }
    }
  }
  // Partitions first: they decide whether other files in the folder can be tables.
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
    const file = await fileAt(options.root, relative, options.guard)
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

/** One table needs partitions with the same keys: the keys that most files have; in a tie, the deeper ones. */
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

/** Files next to partitions are not tables: their folder is a table, which cannot contain other tables. */
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

/** Everything below `folder` of a source (default: all of it). Memory: one folder, or one partitioned table. */
export function walk(options: WalkOptions, folder = ''): AsyncGenerator<Found> {
  return walkFolder(options, folder, 0)
}

import { createHash } from 'node:crypto'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { PathGuard } from '../../path-access.ts'
import { refused, unreadable } from './failures.ts'

/** An existing database file. */
export interface DatabaseFile {
  /** Absolute path, links resolved. */
  path: string
  name: string
  folder: string
  sizeBytes: number
  lastChangedAt: string
  /** A hash of the file and its write-ahead log. */
  fingerprint: string
}

/** Files next to a database that the engines also read. */
const logsOf = (real: string) => [`${real}-wal`, `${real}-journal`, `${real}-shm`, `${real}.wal`]

/** Rejects if the file is a link out of the folder, or if one of its logs, which the engine would read, is a link. */
async function requireWithin(root: string, real: string, name: string): Promise<void> {
  const outside = !real.startsWith(root.endsWith('/') ? root : `${root}/`)
  if (outside) throw refused(name, 'is a link that leads out of the source: put the file itself there')
  for (const log of logsOf(real)) {
    const info = await lstat(log).catch(() => null)
    if (info?.isSymbolicLink()) throw refused(name, 'has a link as its log: put the log itself there')
  }
}

/** Rejects if the file, or a log next to it, resolves to a path that may not be read. */
async function requireAllowed(guard: PathGuard, paths: readonly string[], name: string): Promise<void> {
  for (const path of paths) {
    const refusal = await guard.refusal(path)
    if (refusal !== null) throw refused(name, refusal)
  }
}

/** Resolves a database file. `root`: absolute, links resolved; the file must be inside it. Throws `unprocessable`. */
export async function databaseFile(path: string, guard: PathGuard, root?: string): Promise<DatabaseFile> {
  const name = basename(path)
  await requireAllowed(guard, [path], name)
  try {
    const real = await realpath(path)
    await requireAllowed(guard, [real, ...logsOf(real)], name)
    if (root !== undefined) await requireWithin(root, real, name)
    const info = await stat(real)
    if (!info.isFile()) throw refused(name, 'is not a file: give the path of a database file')
    const logs = await Promise.all(
      [`${real}-wal`, `${real}.wal`].map((log) =>
        stat(log).then(
          (found) => found,
          () => null,
        ),
      ),
    )
    const times = [info, ...logs.filter((log) => log !== null && log.size > 0)].flatMap((one) =>
      one === null ? [] : [one],
    )
    const hash = createHash('sha256')
    for (const { size, mtimeMs } of times) hash.update(`${size}\n${mtimeMs}\n`)
    return {
      path: real,
      name,
      folder: dirname(real),
      sizeBytes: info.size,
      lastChangedAt: new Date(times.reduce((newest, { mtimeMs }) => Math.max(newest, mtimeMs), 0)).toISOString(),
      fingerprint: hash.digest('hex').slice(0, 32),
    }
  } catch (error) {
    throw unreadable(error, name)
  }
}

/** A name for the database of a file: the file's name without its extension. */
export function databaseName(file: DatabaseFile): string {
  return file.name.replace(/\.(db|sqlite3?|duckdb|ddb)$/i, '') || file.name
}

import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { refused, unreadable } from './failures.ts'

/** A database file that is there. */
export interface DatabaseFile {
  /** Absolute, links resolved. */
  path: string
  name: string
  folder: string
  sizeBytes: number
  lastChangedAt: string
  /** Of the file and its write-ahead log. */
  fingerprint: string
}

/** Looks a database file up. Errors: `unprocessable`. */
export async function databaseFile(path: string): Promise<DatabaseFile> {
  const name = basename(path)
  try {
    const real = await realpath(path)
    const info = await stat(real)
    if (!info.isFile()) throw refused(name, 'is no file: give the path of a database file')
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
      lastChangedAt: new Date(Math.max(...times.map((one) => one.mtimeMs))).toISOString(),
      fingerprint: hash.digest('hex').slice(0, 32),
    }
  } catch (error) {
    throw unreadable(error, name, dirname(path))
  }
}

/** A name for the database of a file: without its ending. */
export function databaseName(file: DatabaseFile): string {
  return file.name.replace(/\.(db|sqlite3?|duckdb|ddb)$/i, '') || file.name
}

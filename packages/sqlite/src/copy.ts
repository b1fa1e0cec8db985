import { backup, DatabaseSync } from 'node:sqlite'
import { translated } from './errors.ts'

/**
 * Copies the SQLite file at `path` to `target`, which must not exist. The copy is a consistent snapshot, even during
 * concurrent reads and writes, and is verified. Throws `unavailable` if the file cannot be read, if the copy cannot be
 * written, or if it is damaged.
 */
export async function copyDatabase(path: string, target: string): Promise<void> {
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      // Copies all pages in one step. Otherwise every write of another process would restart the copy.
      await backup(source, target, { rate: 2 ** 31 - 1 })
    } finally {
      source.close()
    }
    const copy = new DatabaseSync(target, { timeout: 5000 })
    try {
      // Makes the copy one file, without a journal next to it.
      copy.exec('PRAGMA journal_mode = DELETE')
      const found = copy
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => String(row.integrity_check))
      if (found[0] !== 'ok') throw new Error(`The copy is damaged: ${found.slice(0, 3).join('; ')}`)
    } finally {
      copy.close()
    }
  } catch (error) {
    throw translated(error)
  }
}

import { backup, DatabaseSync } from 'node:sqlite'
import { translated } from './errors.ts'

/**
 * Copies the SQLite file at `path` to `target`, which must not exist, as of one moment, while others read and write it.
 * Checks the copy. Errors: `unavailable` when the file cannot be read, the copy cannot be written or is damaged.
 */
export async function copyDatabase(path: string, target: string): Promise<void> {
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      // All pages at one go: in pieces, every write of another process would make it begin again.
      await backup(source, target, { rate: 2 ** 31 - 1 })
    } finally {
      source.close()
    }
    const copy = new DatabaseSync(target, { timeout: 5000 })
    try {
      // One file, without a journal beside it.
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

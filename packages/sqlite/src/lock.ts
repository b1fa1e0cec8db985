import { DatabaseSync } from 'node:sqlite'
import { sqliteCode, translated } from './errors.ts'

const busy = 5

/**
 * Locks the file at `path` for this process. Returns `undefined` if another process has the lock. The system releases
 * the lock when the process ends, however it ends. Throws `unavailable` if the file cannot be created.
 */
export function holdLock(path: string): { release(): void } | undefined {
  try {
    const held = new DatabaseSync(path, { timeout: 200 })
    try {
      // An open exclusive transaction with a rollback journal locks the file itself.
      held.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    } catch (error) {
      held.close()
      if (sqliteCode(error) === busy) return undefined
      throw error
    }
    return { release: () => held.close() }
  } catch (error) {
    throw translated(error)
  }
}

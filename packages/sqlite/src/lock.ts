import { DatabaseSync } from 'node:sqlite'
import { sqliteCode, translated } from './errors.ts'

const busy = 5

/**
 * Takes the lock file at `path` for this process, or answers `undefined` when another one has it. The system lets go of
 * it when the process ends, however it ends. Errors: `unavailable` when the file cannot be made.
 */
export function holdLock(path: string): { release(): void } | undefined {
  try {
    const held = new DatabaseSync(path, { timeout: 200 })
    try {
      // An open exclusive transaction of a rollback journal is a lock on the file itself.
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

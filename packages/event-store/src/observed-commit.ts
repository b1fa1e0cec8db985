import type { DocumentPut } from '@assay/documents'
import type { Commit } from './commit.ts'
import type { NewEvent } from './port.ts'

/**
 * Commits, and then calls `observe` once for each event of the append, with the documents of the commit. `observe` must
 * not throw.
 */
export function observedCommit(
  commit: Commit,
  observe: (event: NewEvent, puts: readonly DocumentPut[]) => void,
): Commit {
  return async (append, puts) => {
    let made: readonly DocumentPut[] = []
    const appended = await commit(append, (at) => {
      made = puts(at)
      return made
    })
    for (const event of append.events) observe(event, made)
    return appended
  }
}

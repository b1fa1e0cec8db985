import { isCollectingWrites, noteWrite } from '@assay/service-kit'
import type { Commit } from './commit.ts'
import type { NewEvent } from './port.ts'

/**
 * Commits, and reports the position of the write (`noteWrite`), for which the audit waits. `isPublished`: whether the
 * service publishes an event. An append returns the position of its last event only. If that event is not published, the
 * position is not reported: the audit would wait for a line that never comes.
 */
export function notingWrites(commit: Commit, isPublished: (event: NewEvent, stream: string) => boolean): Commit {
  return async (append, puts) => {
    const appended = await commit(append, puts)
    const last = append.events.at(-1)
    if (isCollectingWrites() && last !== undefined && isPublished(last, append.stream))
      noteWrite({ position: appended.position })
    return appended
  }
}

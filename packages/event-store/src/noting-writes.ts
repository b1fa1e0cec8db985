import { isCollectingWrites, noteWrite } from '@assay/service-kit'
import type { Commit } from './commit.ts'
import type { NewEvent } from './port.ts'
import { writtenStreamText } from './written-stream.ts'

/**
 * Commits, and reports the write (`noteWrite`) for the response to its request. `isPublished`: whether the service
 * publishes an event. An append returns the position of its last event only. If that event is not published, the
 * position is not reported: a caller would wait for a message that never comes.
 */
export function notingWrites(commit: Commit, isPublished: (event: NewEvent, stream: string) => boolean): Commit {
  return async (append, puts) => {
    const appended = await commit(append, puts)
    if (!isCollectingWrites()) return appended
    const last = append.events.at(-1)
    if (last === undefined) return appended
    const stream = writtenStreamText(append.stream, appended.revision)
    noteWrite({ stream, ...(isPublished(last, append.stream) ? { position: appended.position } : {}) })
    return appended
  }
}

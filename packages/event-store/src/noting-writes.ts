import { isCollectingWrites, noteWrite } from '@assay/service-kit'
import type { Commit } from './commit.ts'
import type { NewEvent } from './port.ts'

/**
 * Commits, and notes where the write stands (`noteWrite`), for the answer of the request that it belongs to. `isPublished`:
 * whether the service tells the public of an event. A write that ends with one of which it does not is not noted: the
 * store answers the position of the last event only, and nobody should wait for what never comes.
 */
export function notingWrites(commit: Commit, isPublished: (event: NewEvent, stream: string) => boolean): Commit {
  return async (append, puts) => {
    const appended = await commit(append, puts)
    if (!isCollectingWrites()) return appended
    const last = append.events.at(-1)
    if (last && isPublished(last, append.stream)) noteWrite(appended.position)
    return appended
  }
}

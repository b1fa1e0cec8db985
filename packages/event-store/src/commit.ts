import type { DocumentPut, Documents } from '@assay/documents'
import type { Appended, EventStore, ExpectedRevision, NewEvent } from './port.ts'

export interface Append {
  stream: string
  events: readonly NewEvent[]
  expected: ExpectedRevision
}

/**
 * Appends events, and puts the documents that `puts` derives from them. Once it resolves, the events are durable and,
 * unless the put failed, the documents can be read. May be called concurrently. Throws the errors of
 * `EventStore.append`. `puts` must be pure, because it may be called again for an append that has already happened.
 */
export type Commit = (append: Append, puts: (appended: Appended) => readonly DocumentPut[]) => Promise<Appended>

/**
 * For stores without a common transaction: append, then put. A failed put does not undo the event, so the commit still
 * resolves: `onPutFailed` is called, and the repair puts the documents later.
 */
export function createCommit(
  store: EventStore,
  documents: Pick<Documents, 'put'>,
  onPutFailed: (error: unknown, stream: string) => void,
): Commit {
  return async (append, puts) => {
    const appended = await store.append(append.stream, append.events, append.expected)
    try {
      const list = puts(appended)
      if (list.length > 0) await documents.put(list)
    } catch (error) {
      onPutFailed(error, append.stream)
    }
    return appended
  }
}

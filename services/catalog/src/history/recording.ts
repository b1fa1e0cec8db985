import { type DocumentPut, documentPut } from '@assay/documents'
import { type Aggregate, type Commit, type DomainEvent, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assetHistory } from './collection.ts'
import { historyOf } from './history-lines.ts'

/** A line never changes, so its revision alone identifies its source. */
function historyPuts(tenant: string, recorded: RecordedEvent): DocumentPut[] {
  const source = { revision: recorded.revision, position: '' }
  return historyOf(recorded).map((line) => documentPut(assetHistory, tenant, line.id, line, source))
}

/** Puts history lines in the same step as their events. */
export function recordingHistory(commit: Commit): Commit {
  return (append, puts) =>
    commit(append, (appended) => {
      const { stream, events } = append
      const tenant = parseStreamName(stream)?.tenant ?? ''
      const first = appended.revision - events.length + 1
      const lines = events.flatMap((event, index) =>
        historyPuts(tenant, { ...event, stream, revision: first + index, position: appended.position, recordedAt: '' }),
      )
      return [...puts(appended), ...lines]
    })
}

/** The aggregate with its history lines, for repair and rebuild. */
export function withHistory<S, C, E extends DomainEvent>(aggregate: Aggregate<S, C, E>): Aggregate<S, C, E> {
  return { ...aggregate, eventDocuments: (event) => historyPuts(event.metadata.tenant, event) }
}

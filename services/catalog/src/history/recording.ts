import { type DocumentPut, documentPut } from '@assay/documents'
import {
  type Aggregate,
  type Commit,
  type DomainEvent,
  eventOf,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { assetHistory } from './collection.ts'
import { historyOf } from './told.ts'

/** A line never changes, so its revision alone says what it was made of. */
function historyPuts(tenant: string, recorded: RecordedEvent): DocumentPut[] {
  const source = { revision: recorded.revision, position: '' }
  return historyOf(recorded).map((line) => documentPut(assetHistory, tenant, line.id, line, source))
}

/** Puts the lines of the history in the same step as the events that they tell of. */
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

interface Recorded<E extends DomainEvent> extends DomainEvent {
  inner: E
  recorded: RecordedEvent
}

/** The aggregate, with the lines of its history beside its own documents: for repair and rebuild, which only fold. */
export function withHistory<S, C, E extends DomainEvent>(
  aggregate: Aggregate<S, C, E>,
): Aggregate<{ inner: S; lines: DocumentPut[] }, C, Recorded<E>> {
  const { category, schemaVersion, decider } = aggregate
  return {
    category,
    schemaVersion,
    decider: {
      initialState: { inner: decider.initialState, lines: [] },
      decide: () => [],
      evolve: ({ inner, lines }, event) => ({
        inner: decider.evolve(inner, event.inner),
        lines: [...lines, ...historyPuts(event.recorded.metadata.tenant, event.recorded)],
      }),
    },
    upcast(recorded) {
      const upcast: Recorded<E> = {
        type: recorded.type,
        data: recorded.data,
        inner: eventOf(aggregate, recorded),
        recorded,
      }
      return upcast
    },
    documents: ({ inner, lines }, key, source) => [...aggregate.documents(inner, key, source), ...lines],
  }
}

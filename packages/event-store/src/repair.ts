import type { DocumentPut, Documents } from '@assay/documents'
import type { AggregateKey, AnyAggregate } from './decider.ts'
import { type EventStore, parseStreamName, type RecordedEvent } from './port.ts'
import { isSnapshotDue, snapshotAfter } from './snapshots.ts'
import { createStates } from './states.ts'

/** Number of streams handled concurrently. Streams have no order among each other. */
const atOnce = 64

/**
 * The handler of a processor that puts documents whose writer died between append and put.
 * For each stream it derives the documents of the current state, and puts each document whose stored revision is lower.
 * It starts from the cached state, or from the state in a document, and adds the new events. It reads the stream only
 * if there is a gap between that state and the new events. The processor must have the categories of `aggregates`.
 */
export function createRepair(options: {
  store: Pick<EventStore, 'read'>
  documents: Pick<Documents, 'get' | 'put'>
  aggregates: readonly AnyAggregate[]
}): { categories: readonly string[]; handle(events: readonly RecordedEvent[]): Promise<void> } {
  const { documents } = options
  const byCategory = new Map(options.aggregates.map((aggregate) => [aggregate.category, aggregate]))
  const states = createStates(options)

  /** Whether the stored document has a lower revision. */
  async function outdated(put: DocumentPut): Promise<boolean> {
    const stored = await documents.get(put.collection, put.tenant, put.id)
    if (stored === undefined) return true
    return stored.source.revision < put.source.revision
  }

  /** A snapshot has the state right after its event, so only the events up to that one are folded for it. */
  async function snapshotOf(
    aggregate: AnyAggregate,
    key: AggregateKey,
    met: readonly RecordedEvent[],
  ): Promise<DocumentPut[]> {
    const at = met.findLastIndex(isSnapshotDue)
    const event = met[at]
    if (event === undefined) return []
    const { state, revision } = await states.after(aggregate, key, met.slice(0, at + 1))
    return revision === event.revision ? snapshotAfter(aggregate, key, event, state) : []
  }

  async function missingOf(stream: string, met: readonly RecordedEvent[]): Promise<DocumentPut[]> {
    const key = parseStreamName(stream)
    const aggregate = byCategory.get(key?.category ?? '')
    if (key === undefined || aggregate === undefined) return []
    const snapshot = await snapshotOf(aggregate, key, met)
    const { state, revision, position = '' } = await states.after(aggregate, key, met)
    const puts = [
      ...aggregate.documents(state, key, { revision, position }),
      ...met.flatMap((event) => aggregate.eventDocuments?.(event) ?? []),
      ...snapshot,
    ]
    const isOutdated = await Promise.all(puts.map(outdated))
    return puts.filter((_, index) => isOutdated[index])
  }

  return {
    categories: [...byCategory.keys()],
    async handle(events) {
      const streams = [...Map.groupBy(events, (event) => event.stream)]
      for (let from = 0; from < streams.length; from += atOnce) {
        const some = streams.slice(from, from + atOnce)
        const missing = (await Promise.all(some.map(([stream, met]) => missingOf(stream, met)))).flat()
        if (missing.length > 0) await documents.put(missing)
      }
    },
  }
}

import type { DocumentPut, Documents } from '@assay/documents'
import { type AnyAggregate, fold } from './decider.ts'
import { type EventStore, parseStreamName, type RecordedEvent } from './port.ts'

/** Streams that are looked at together: they have no order to each other. */
const atOnce = 64

/**
 * The handler of a processor that puts documents which the writer of an event did not come to put (it died between
 * append and put). For each stream met it folds the stream and puts its documents where the stored revision is lower:
 * a lookup, and a read of the stream unless that is met from its first event. Its categories are those of `aggregates`.
 */
export function createRepair(options: {
  store: Pick<EventStore, 'read'>
  documents: Pick<Documents, 'get' | 'put'>
  aggregates: readonly AnyAggregate[]
}): { categories: readonly string[]; handle(events: readonly RecordedEvent[]): Promise<void> } {
  const { store, documents } = options
  const byCategory = new Map(options.aggregates.map((aggregate) => [aggregate.category, aggregate]))

  /** Folding is pure, so the stored revisions can be compared before anything is written. */
  async function outdated(put: DocumentPut): Promise<boolean> {
    const stored = await documents.get(put.collection, put.tenant, put.id)
    if (stored === undefined) return true
    return stored.source.revision < put.source.revision
  }

  async function outdatedAfter(
    stream: string,
    aggregate: AnyAggregate,
    events: readonly RecordedEvent[],
  ): Promise<DocumentPut[]> {
    const name = parseStreamName(stream)
    const last = events.at(-1)
    if (name === undefined || last === undefined) return []
    const source = { revision: last.revision, position: last.position }
    const state = fold(aggregate, aggregate.decider.initialState, events)
    const puts = aggregate.documents(state, { tenant: name.tenant, id: name.id }, source)
    const isOutdated = await Promise.all(puts.map(outdated))
    return puts.filter((_, index) => isOutdated[index])
  }

  async function missingOf(stream: string, met: readonly RecordedEvent[]): Promise<DocumentPut[]> {
    const aggregate = byCategory.get(parseStreamName(stream)?.category ?? '')
    if (aggregate === undefined) return []
    // From the first event on, what is met is all that the state needs. Later events come by themselves.
    const isFromFirst = met.every(({ revision }, index) => revision === index)
    return outdatedAfter(stream, aggregate, isFromFirst ? met : (await store.read(stream)).events)
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

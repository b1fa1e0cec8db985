import type { DocumentPut, Documents } from '@assay/documents'
import { type AnyAggregate, fold } from './decider.ts'
import { type EventStore, parseStreamName, type RecordedEvent } from './port.ts'

/** Streams that are looked at together: they have no order to each other. */
const atOnce = 16

/**
 * The handler of a processor that puts documents which the writer of an event did not come to put (it died between
 * append and put). For each stream met it folds the stream and puts its documents where the stored revision is lower;
 * a document that is up to date costs one lookup. Its categories are those of `aggregates`.
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

  async function repairStream(stream: string): Promise<void> {
    const name = parseStreamName(stream)
    const aggregate = name && byCategory.get(name.category)
    if (name === undefined || aggregate === undefined) return
    const { events } = await store.read(stream)
    const last = events.at(-1)
    if (last === undefined) return
    const source = { revision: last.revision, position: last.position }
    const state = fold(aggregate, aggregate.decider.initialState, events)
    const missing: DocumentPut[] = []
    for (const put of aggregate.documents(state, { tenant: name.tenant, id: name.id }, source)) {
      if (await outdated(put)) missing.push(put)
    }
    if (missing.length > 0) await documents.put(missing)
  }

  return {
    categories: [...byCategory.keys()],
    async handle(events) {
      const streams = [...new Set(events.map((event) => event.stream))]
      for (let from = 0; from < streams.length; from += atOnce)
        await Promise.all(streams.slice(from, from + atOnce).map(repairStream))
    },
  }
}

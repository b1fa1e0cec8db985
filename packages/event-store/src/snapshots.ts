import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import type { Aggregate, AggregateKey, DomainEvent } from './decider.ts'
import { jsonBytes } from './json.ts'

/** Every nth event of a stream without a `wholeDocument` puts a snapshot. */
const snapshotEvery = 500
/**
 * States with more characters get no snapshot: some stores limit documents to 16 MiB, and a character can take three
 * bytes.
 */
const maxBytes = 5 * 1024 * 1024

const snapshot = z.object({ schemaVersion: z.int(), eventId: z.string(), state: z.unknown() })

/**
 * The last snapshot of each long stream. Give this collection to the documents adapter of every service. The source of
 * its documents has no position.
 */
export const streamSnapshots = defineCollection<z.infer<typeof snapshot>>({
  name: 'stream_snapshots',
  version: 1,
  idType: 'text',
  schema: snapshot,
  fields: {},
})

export const isSnapshotDue = ({ revision }: { revision: number }): boolean => (revision + 1) % snapshotEvery === 0

const idOf = (category: string, key: AggregateKey): string => `${category}-${key.id}`

/**
 * The snapshot of `state` after `event`; empty if none is due. It depends only on the stream and not on the writer, so
 * a rebuild writes the same snapshot.
 */
export function snapshotAfter<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  key: AggregateKey,
  event: { id: string; revision: number },
  state: State,
): DocumentPut[] {
  const { category, schemaVersion } = aggregate
  if (!isSnapshotDue(event) || aggregate.wholeDocument !== undefined || jsonBytes(state) > maxBytes) return []
  const source = { revision: event.revision, position: '' }
  const document = { schemaVersion, eventId: event.id, state }
  return [documentPut(streamSnapshots, key.tenant, idOf(category, key), document, source)]
}

/**
 * The state to start from, and the id of the event after which it was taken. `undefined` if there is no snapshot, or if
 * it has another version.
 */
export async function readSnapshot<State, Command, Event extends DomainEvent>(
  documents: Pick<Documents, 'get'>,
  aggregate: Aggregate<State, Command, Event>,
  key: AggregateKey,
): Promise<{ state: State; revision: number; eventId: string } | undefined> {
  const stored = await documents.get(streamSnapshots, key.tenant, idOf(aggregate.category, key))
  if (stored === undefined || stored.document.schemaVersion !== aggregate.schemaVersion) return undefined
  const { state, eventId } = stored.document
  // Only `snapshotAfter` writes snapshots, for this aggregate's category and version.
  return { state: state as State, revision: stored.source.revision, eventId }
}

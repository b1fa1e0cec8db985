import type { Documents } from '@assay/documents'
import { type Aggregate, type AggregateKey, type DomainEvent, fold } from './decider.ts'
import type { EventStore, RecordedEvent } from './port.ts'
import { readSnapshot } from './snapshots.ts'
import type { Loaded } from './state-cache.ts'

/** A state loaded from a document. It comes with a check that the log still contains the state's last event. */
export interface Start<State> extends Loaded<State> {
  isMadeBy(event: RecordedEvent): boolean
}

/** The state after `loaded` and the next `events` of its stream. */
export function advanced<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  loaded: Loaded<State>,
  events: readonly RecordedEvent[],
): Loaded<State> {
  const last = events.at(-1)
  if (last === undefined) return loaded
  return { state: fold(aggregate, loaded.state, events), revision: last.revision, position: last.position }
}

/** The last snapshot of a stream. `undefined` if there is none. */
export async function snapshotStart<State, Command, Event extends DomainEvent>(
  documents: Pick<Documents, 'get'>,
  aggregate: Aggregate<State, Command, Event>,
  key: AggregateKey,
): Promise<Start<State> | undefined> {
  const snapshot = await readSnapshot(documents, aggregate, key)
  return snapshot && { ...snapshot, position: undefined, isMadeBy: ({ id }) => id === snapshot.eventId }
}

/**
 * The state after `start` and the later events of its stream, or those before the revision `before`. `undefined` if the
 * log no longer has the event of `start`. Throws the errors of `read`.
 */
export async function since<State, Command, Event extends DomainEvent>(
  store: Pick<EventStore, 'read'>,
  aggregate: Aggregate<State, Command, Event>,
  stream: string,
  start: Start<State>,
  before = Number.POSITIVE_INFINITY,
): Promise<Loaded<State> | undefined> {
  const from = start.revision
  // Reads up to one event after `before`: after a full page the store would need another call to find the end of the
  // stream.
  const { events } = await store.read(stream, Number.isFinite(before) ? { from, limit: before - from + 2 } : { from })
  const [first, ...later] = events.filter(({ revision }) => revision < before)
  if (first === undefined || !start.isMadeBy(first)) return undefined
  return advanced(aggregate, { state: start.state, revision: first.revision, position: first.position }, later)
}

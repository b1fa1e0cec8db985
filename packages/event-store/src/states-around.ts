import type { Documents } from '@assay/documents'
import { type Aggregate, type DomainEvent, fold } from './decider.ts'
import { type EventStore, parseStreamName, type RecordedEvent } from './port.ts'
import { readSnapshot } from './snapshots.ts'
import { createStateCache } from './state-cache.ts'

const defaultMaxBytes = 4 * 1024 * 1024
/** A shorter stream has no snapshot. */
const shortStream = 500

/** The states of a stream right before and right after one of its events. Callers must not change them. */
export interface Around<State> {
  before: State
  after: State
}

/**
 * Answers the states around an event, so that a message made of them is the same whenever it is made. Events that come in
 * the order of the log are folded one by one; for others, what lies between is read. Errors: those of `read` and `get`.
 */
export type StatesAround = <State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  event: RecordedEvent,
) => Promise<Around<State>>

const none = <State>(state: State) => ({ state, revision: -1 })

/**
 * Keeps the states folded last, at most `maxBytes` of them (default 4 MiB; see createStateCache). A long stream whose
 * state is not kept is read from its snapshot on, if there are `documents`.
 */
export function createStatesAround({
  store,
  documents,
  maxBytes = defaultMaxBytes,
}: {
  store: Pick<EventStore, 'read'>
  documents?: Pick<Documents, 'get'> | undefined
  maxBytes?: number
}): StatesAround {
  const cache = createStateCache(maxBytes)
  /** The last call for each stream: of two at once, the later one needs the state of the earlier. */
  const last = new Map<string, Promise<unknown>>()

  async function stateBefore<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    { stream, revision }: RecordedEvent,
  ): Promise<State> {
    const { initialState } = aggregate.decider
    const known = cache.get(stream, aggregate.decider)
    const isBefore = known !== undefined && known.revision < revision
    const start = isBefore ? known : ((await snapshotBefore(aggregate, stream, revision)) ?? none(initialState))
    const from = start.revision + 1
    if (from === revision) return start.state
    return fold(aggregate, start.state, await eventsBetween(stream, from, revision))
  }

  /** Those before `revision`. */
  async function eventsBetween(stream: string, from: number, revision: number): Promise<RecordedEvent[]> {
    // With the event itself and one more: with a short answer the store knows the end of the stream, with a full one it
    // would have to ask again.
    const { events } = await store.read(stream, { from, limit: revision - from + 2 })
    return events.filter((one) => one.revision < revision)
  }

  /** Long streams have snapshots, which depend only on the stream; the log must still have the event of this one. */
  async function snapshotBefore<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    stream: string,
    revision: number,
  ): Promise<{ state: State; revision: number } | undefined> {
    const key = parseStreamName(stream)
    if (documents === undefined || key === undefined || revision < shortStream) return undefined
    const snapshot = await readSnapshot(documents, aggregate, key)
    if (snapshot === undefined || snapshot.revision >= revision) return undefined
    const [taken] = (await store.read(stream, { from: snapshot.revision, limit: 1 })).events
    return taken?.id === snapshot.eventId ? snapshot : undefined
  }

  async function around<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    event: RecordedEvent,
  ): Promise<Around<State>> {
    const before = await stateBefore(aggregate, event)
    const after = fold(aggregate, before, [event])
    const { stream, revision, position } = event
    cache.set(stream, aggregate.decider, { state: after, revision, position })
    return { before, after }
  }

  return (aggregate, event) => {
    const { stream } = event
    const answer = (last.get(stream) ?? Promise.resolve()).then(() => around(aggregate, event))
    const ended = answer
      .catch(() => undefined)
      .then(() => {
        if (last.get(stream) === ended) last.delete(stream)
      })
    last.set(stream, ended)
    return answer
  }
}

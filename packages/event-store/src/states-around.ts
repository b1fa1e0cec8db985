import type { Documents } from '@assay/documents'
import { type Aggregate, type DomainEvent, fold } from './decider.ts'
import { type EventStore, parseStreamName, type RecordedEvent } from './port.ts'
import { since, snapshotStart } from './start.ts'
import { createStateCache, type Loaded } from './state-cache.ts'

const defaultMaxBytes = 4 * 1024 * 1024
/** A stream with fewer events has no snapshot. */
const shortStream = 500

/** The states of a stream right before and right after one of its events. Callers must not change them. */
export interface Around<State> {
  before: State
  after: State
}

/**
 * Returns the states around an event. They never change, so a message that is built from them is always the same. If
 * the events arrive in the order of the log, each is folded onto the cached state; otherwise the events in between are
 * read. Throws the errors of `read` and `get`.
 */
export type StatesAround = <State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  event: RecordedEvent,
) => Promise<Around<State>>

const none = <State>(state: State) => ({ state, revision: -1 })

/**
 * Caches the most recently used states (`maxBytes`: createStateCache, default 4 MiB). A long stream whose state is not
 * cached is read from its snapshot on, if there are `documents`.
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
  /** The last call for each stream. The next call waits for it, to use its state. */
  const last = new Map<string, Promise<unknown>>()

  async function stateBefore<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    { stream, revision }: RecordedEvent,
  ): Promise<State> {
    const { initialState } = aggregate.decider
    const known = cache.get(stream, aggregate.decider)
    const isBefore = known !== undefined && known.revision < revision
    const start = isBefore ? known : ((await fromSnapshot(aggregate, stream, revision)) ?? none(initialState))
    const from = start.revision + 1
    if (from === revision) return start.state
    return fold(aggregate, start.state, await eventsBetween(stream, from, revision))
  }

  /** The events from `from` on, before `revision`. */
  async function eventsBetween(stream: string, from: number, revision: number): Promise<RecordedEvent[]> {
    // Reads the event itself and one more: after a full page the store would need another call to find the end of the
    // stream.
    const { events } = await store.read(stream, { from, limit: revision - from + 2 })
    return events.filter((one) => one.revision < revision)
  }

  /** The state of a long stream before `revision`, from its snapshot; `undefined` if there is no earlier one. */
  async function fromSnapshot<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    stream: string,
    revision: number,
  ): Promise<Loaded<State> | undefined> {
    const key = parseStreamName(stream)
    if (documents === undefined || key === undefined || revision < shortStream) return undefined
    const start = await snapshotStart(documents, aggregate, key)
    return start && start.revision < revision ? since(store, aggregate, stream, start, revision) : undefined
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

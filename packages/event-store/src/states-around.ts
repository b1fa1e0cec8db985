import { type Aggregate, type DomainEvent, fold } from './decider.ts'
import type { EventStore, RecordedEvent } from './port.ts'
import { createStateCache } from './state-cache.ts'

const defaultMaxBytes = 4 * 1024 * 1024

/** The states of a stream right before and right after one of its events. Callers must not change them. */
export interface Around<State> {
  before: State
  after: State
}

/**
 * Answers the states around an event, so that a message made of them is the same whenever it is made. Events that come in
 * the order of the log are folded one by one; for others, what lies between is read.
 * Errors: those of `read`.
 */
export type StatesAround = <State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  event: RecordedEvent,
) => Promise<Around<State>>

/** Keeps the states folded last, at most `maxBytes` of them (default 4 MiB; see createStateCache). */
export function createStatesAround(store: Pick<EventStore, 'read'>, maxBytes = defaultMaxBytes): StatesAround {
  const cache = createStateCache(maxBytes)
  /** The last call for each stream: of two at once, the later one needs the state of the earlier. */
  const last = new Map<string, Promise<unknown>>()

  async function stateBefore<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    { stream, revision }: RecordedEvent,
  ): Promise<State> {
    const { initialState } = aggregate.decider
    const known = cache.get(stream, aggregate.decider)
    const start = known !== undefined && known.revision < revision ? known : { state: initialState, revision: -1 }
    const from = start.revision + 1
    if (from === revision) return start.state
    // With the event itself and one more: with a short answer the store knows the end of the stream, with a full one it
    // would have to ask again.
    const { events } = await store.read(stream, { from, limit: revision - from + 2 })
    const earlier = events.filter((one) => one.revision < revision)
    return fold(aggregate, start.state, earlier)
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

import { type Aggregate, type DomainEvent, fold } from './decider.ts'
import type { EventStore, RecordedEvent } from './port.ts'

/**
 * The events of `event`'s stream up to and including it, in order. The first event of a stream needs no read. Errors:
 * those of `read`.
 */
export async function eventsUpTo(
  store: Pick<EventStore, 'read'>,
  event: RecordedEvent,
): Promise<readonly RecordedEvent[]> {
  if (event.revision === 0) return [event]
  // One more than needed: with a short answer the store knows the end of the stream, with a full one it would have to
  // ask again.
  const { events } = await store.read(event.stream, { limit: event.revision + 2 })
  return events.filter(({ revision }) => revision <= event.revision)
}

/** The state right after `event`, so that its message is the same whenever it is made. Errors: those of `read`. */
export async function stateAfter<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  store: Pick<EventStore, 'read'>,
  event: RecordedEvent,
): Promise<State> {
  return fold(aggregate, aggregate.decider.initialState, await eventsUpTo(store, event))
}

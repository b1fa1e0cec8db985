import type { DocumentPut, Documents, Source, Stored } from '@assay/documents'
import type { JsonObject, RecordedEvent } from './port.ts'

/**
 * An event of an aggregate: a name and JSON data. Declare the data as type aliases; interfaces do not fit JsonObject.
 */
export interface DomainEvent {
  type: string
  data: JsonObject
}

/** Pure. `decide` throws an AssayError for a broken rule and returns no events if there is nothing to do. */
export interface Decider<State, Command, Event extends DomainEvent> {
  initialState: State
  decide(command: Command, state: State): readonly Event[]
  /**
   * If the type of the event is unknown, returns the event itself, as `return event satisfies never` does. So a fold
   * skips events that a later version wrote.
   */
  evolve(state: State, event: Event): State
}

export interface AggregateKey {
  tenant: string
  id: string
}

/** A decider with the category of its streams and the documents derived from its state. Everything in it is pure. */
export interface Aggregate<State, Command, Event extends DomainEvent> {
  /** First part of the stream name, without `-`. */
  category: string
  decider: Decider<State, Command, Event>
  /**
   * The version in the metadata of new events. Raise it also if the state changes its shape, because snapshots carry
   * it. If a document is the whole state, the `version` of its collection counts instead.
   */
  schemaVersion: number
  /** All documents of the stream, complete, as of `source`. */
  documents(state: State, key: AggregateKey, source: Source): readonly DocumentPut[]
  /** Documents that derive from one event only, such as a line of a history. */
  eventDocuments?(event: RecordedEvent): readonly DocumentPut[]
  /**
   * The document that is the stream's whole state, from which loading starts. If omitted, loading starts from a
   * snapshot, which is written every 500 events.
   */
  wholeDocument?(documents: Pick<Documents, 'get'>, key: AggregateKey): Promise<Stored<State> | undefined>
}

/** An aggregate of any type, for lists of different ones. */
export type AnyAggregate = Aggregate<unknown, unknown, DomainEvent>

/** A recorded event of one of the aggregate's streams, typed. */
export function eventOf<State, Command, Event extends DomainEvent>(
  _aggregate: Aggregate<State, Command, Event>,
  recorded: RecordedEvent,
): Event {
  const current: DomainEvent = recorded
  // Only this aggregate writes to streams of its category.
  return current as Event
}

/** The state after `events`, starting from `state`. */
export function fold<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  state: State,
  events: readonly RecordedEvent[],
): State {
  let folded = state
  for (const recorded of events) {
    const next = aggregate.decider.evolve(folded, eventOf(aggregate, recorded))
    if (!Object.is(next, recorded)) folded = next
  }
  return folded
}

import type { DocumentPut, Documents, Source, Stored } from '@assay/documents'
import type { JsonObject, RecordedEvent } from './port.ts'

/** What an aggregate decides on: a name and JSON data. Declare the data as type aliases; interfaces do not fit JsonObject. */
export interface DomainEvent {
  type: string
  data: JsonObject
}

/** Pure. `decide` throws an AssayError for a broken rule and answers no events where there is nothing to do. */
export interface Decider<State, Command, Event extends DomainEvent> {
  initialState: State
  decide(command: Command, state: State): readonly Event[]
  evolve(state: State, event: Event): State
}

export interface AggregateKey {
  tenant: string
  id: string
}

/** A decider with its place in the log and the documents that are made of its state. Everything in it is pure. */
export interface Aggregate<State, Command, Event extends DomainEvent> {
  /** First part of the stream name, without `-`. */
  category: string
  decider: Decider<State, Command, Event>
  /**
   * Written into the metadata of new events. Raise it as well when the state gets another shape: snapshots carry it. Where
   * the document is the whole state, the collection's `version` counts instead.
   */
  schemaVersion: number
  /** All documents of the stream, whole, as of `source`. */
  documents(state: State, key: AggregateKey, source: Source): readonly DocumentPut[]
  /** Documents that one event alone makes, such as the line of a history: those of no other event are among them. */
  eventDocuments?(event: RecordedEvent): readonly DocumentPut[]
  /**
   * The document that is the stream's whole state, where there is one: loading starts from it. Absent: from a snapshot that
   * is put every 500 events.
   */
  wholeDocument?(documents: Pick<Documents, 'get'>, key: AggregateKey): Promise<Stored<State> | undefined>
}

/** An aggregate of a list of many kinds. */
export type AnyAggregate = Aggregate<unknown, unknown, DomainEvent>

/** A recorded event of one of the aggregate's streams, as its type. */
export function eventOf<State, Command, Event extends DomainEvent>(
  _aggregate: Aggregate<State, Command, Event>,
  recorded: RecordedEvent,
): Event {
  const current: DomainEvent = recorded
  // Only this aggregate writes to streams of its category, so what is read back is one of its events.
  return current as Event
}

/** The state after `events`, beginning with `state`. */
export function fold<State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<State, Command, Event>,
  state: State,
  events: readonly RecordedEvent[],
): State {
  let folded = state
  for (const recorded of events) folded = aggregate.decider.evolve(folded, eventOf(aggregate, recorded))
  return folded
}

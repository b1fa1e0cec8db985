/** What a client knows of a write that it sent. */
export type WriteOutcome =
  /** Answered with 2xx: it has happened, for ever. */
  | 'acknowledged'
  /** No answer, or 5xx: it may have happened, once. */
  | 'unknown'
  /** 4xx: it has not happened and never will. */
  | 'refused'

export interface Write {
  /** What finds it in the log: unique among all writes. */
  mark: string
  /** Who sent it: one write after the other, each after the answer of the one before. */
  writer: string
  outcome: WriteOutcome
}

/** An event as it stands in the log. */
export interface LoggedEvent {
  id: string
  stream: string
  /** 0-based. */
  revision: number
  /** Compared as text. */
  position: string
  /** The write that it came from, for events that a write begins. */
  mark?: string | undefined
}

/** A message that an event has to send. */
export interface ExpectedMessage {
  topic: string
  id: string
  key: string
  /** Its content, where that depends on the event alone. */
  body?: string | undefined
}

/** A record of a topic, as read from the broker. */
export interface TopicMessage {
  topic: string
  partition: number
  offset: number
  id: string
  key: string
  body: string
}

/** Something that has to come of an event in another service exactly once. */
export interface Effect {
  /** Such as the id of the event and whom it is for. */
  cause: string
}

/** Name of a document (collection, tenant, id) to its bytes. */
export type DocumentTexts = ReadonlyMap<string, string>

export interface Run {
  id: string
  /** Milliseconds. */
  openedAt: number
  endedAt: number | null
  /** What no two may hold at a time, with the revisions of its stream at which it was taken and given back. */
  holds?: { what: string; from: number; until: number | null }
}

/** All that is known after a fault. */
export interface Facts {
  writes: readonly Write[]
  /** In the order in which the store tells them. */
  log: readonly LoggedEvent[]
  /** In the order of the log. */
  expectedMessages: readonly ExpectedMessage[]
  /** In the order of each partition. */
  topics: readonly TopicMessage[]
  expectedEffects: readonly Effect[]
  effects: readonly Effect[]
  documents: { live: DocumentTexts; rebuilt: DocumentTexts }
  runs: readonly Run[]
  /** Messages or streams that were set aside. */
  parked: readonly string[]
  /** Milliseconds. */
  now: number
}

/** `passing`: may be gone a moment later, when what is under way has arrived. */
export interface Finding {
  kind:
    | 'lost-event'
    | 'doubled-event'
    | 'refused-event'
    | 'broken-stream'
    | 'writer-order'
    | 'lost-message'
    | 'foreign-message'
    | 'changed-message'
    | 'message-order'
    | 'lost-effect'
    | 'doubled-effect'
    | 'foreign-effect'
    | 'missing-document'
    | 'stale-document'
    | 'foreign-document'
    | 'run-open'
    | 'runs-overlap'
    | 'parked'
  about: string
  passing: boolean
}

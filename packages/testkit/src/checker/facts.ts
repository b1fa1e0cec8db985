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

export type Fields = Readonly<Record<string, unknown>>

/** What the audit has to say of a write, by the event that it made in the log. */
export interface AuditedWrite {
  /** Of the event. */
  id: string
  tenant: string
  at: string
  actor: string
  accessKey: string | null
  /** Fields that have to be told, among others; `null`: there was nothing before. */
  before: Fields | null
  after: Fields | null
}

/** A line of the audit. */
export interface AuditLineSeen extends Omit<AuditedWrite, 'before' | 'after'> {
  /** Of the event in the log: no two events have the same. */
  position: string
  before: unknown
  after: unknown
}

/** A public event that has to be kept for readers. */
export interface ExpectedKeptEvent {
  id: string
  /** Those of one key are kept in their order. */
  key: string
  /** All that is kept of it but when and where. */
  text: string
}

export interface KeptEventSeen {
  id: string
  /** Counted up for each that is kept, with gaps. */
  number: number
  /** In what order readers get them, milliseconds. */
  keptAt: number
  text: string
}

export interface KnownKey {
  id: string
  /** Where its use is kept. */
  tenant: string
  /** Milliseconds, as all times here. */
  madeAt: number
  /** When a write was made with it last; absent: never. */
  wroteAt?: number | undefined
}

export interface KeyUseSeen {
  id: string
  tenant: string
  lastUsedAt: number
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
  /** Beside their bytes, which are among the documents: what the log itself says of what clients wrote. */
  audit: { writes: readonly AuditedWrite[]; lines: readonly AuditLineSeen[] }
  keptEvents: {
    /** In the order of the log. */
    expected: readonly ExpectedKeptEvent[]
    live: readonly KeptEventSeen[]
    /** How many there is room for; the next one takes the place of the oldest. */
    room: number
    /** Ids of messages that a test published again in another partition: they have no promised order. */
    unordered: ReadonlySet<string>
  }
  keyUses: { known: readonly KnownKey[]; seen: readonly KeyUseSeen[] }
  runs: readonly Run[]
  /** Messages or streams that were set aside. */
  parked: readonly string[]
  /** Milliseconds. */
  now: number
}

/** `passing`: may be gone a moment later, when messages under way have arrived. */
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
    | 'lost-audit'
    | 'doubled-audit'
    | 'changed-audit'
    | 'lost-kept-event'
    | 'doubled-kept-event'
    | 'changed-kept-event'
    | 'foreign-kept-event'
    | 'kept-order'
    | 'foreign-key-use'
    | 'wrong-key-use'
    | 'stale-key-use'
    | 'run-open'
    | 'runs-overlap'
    | 'parked'
  about: string
  passing: boolean
}

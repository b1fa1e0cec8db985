/** A client's knowledge of a write that it sent. */
export type WriteOutcome =
  /** Answered with 2xx: it has happened, permanently. */
  | 'acknowledged'
  /** No answer, or 5xx: it may have happened, once. */
  | 'unknown'
  /** 4xx: it has not happened and never will. */
  | 'refused'

export interface Write {
  /** Identifies it in the log: unique among all writes. */
  mark: string
  /** The sender: it sends each write after the answer to the previous one. */
  writer: string
  outcome: WriteOutcome
}

/** An event in the log. */
export interface LoggedEvent {
  id: string
  stream: string
  /** 0-based. */
  revision: number
  /** Compared as text. */
  position: string
  /** The write that caused it, for events that begin a write. */
  mark?: string | undefined
}

/** A message that an event must publish. */
export interface ExpectedMessage {
  topic: string
  id: string
  key: string
  body: string
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

/** An effect of an event in another service, expected exactly once. */
export interface Effect {
  /** For example the id of the event and its recipient. */
  cause: string
}

/** Name of a document (collection, tenant, id) to its bytes. */
export type DocumentTexts = ReadonlyMap<string, string>

export interface Run {
  id: string
  /** Milliseconds. */
  openedAt: number
  endedAt: number | null
  /** What only one may hold at a time, with the revisions of its stream at which it was acquired and released. */
  holds?: { what: string; from: number; until: number | null }
}

export type Fields = Readonly<Record<string, unknown>>

/** The expected audit line of a write, by the event that it made in the log. */
export interface AuditedWrite {
  /** Of the event. */
  id: string
  tenant: string
  at: string
  actor: string
  accessKey: string | null
  /** Required fields, among others; `null`: nothing existed before. */
  before: Fields | null
  after: Fields | null
}

/** An actual audit line. */
export interface AuditLineSeen extends Omit<AuditedWrite, 'before' | 'after'> {
  /** Of the event in the log: unique. */
  position: string
  before: unknown
  after: unknown
}

/** A public event that must be kept for readers. */
export interface ExpectedKeptEvent {
  id: string
  /** Events of one key are kept in order. */
  key: string
  /** Everything that is kept of it, except when and where. */
  text: string
}

export interface KeptEventSeen {
  id: string
  /** Increases with each kept event, with gaps. */
  number: number
  /** The order in which readers get them, milliseconds. */
  keptAt: number
  text: string
}

export interface KnownKey {
  id: string
  /** The tenant that its use is stored in. */
  tenant: string
  /** In milliseconds, like all times here. */
  madeAt: number
  /** The time of the last write with it; absent: never. */
  wroteAt?: number | undefined
}

export interface KeyUseSeen {
  id: string
  tenant: string
  lastUsedAt: number
}

/** Everything that is known after a fault. */
export interface Facts {
  writes: readonly Write[]
  /** In the order in which the store reads them. */
  log: readonly LoggedEvent[]
  /** In the order of the log. */
  expectedMessages: readonly ExpectedMessage[]
  /** In the order of each partition. */
  topics: readonly TopicMessage[]
  expectedEffects: readonly Effect[]
  effects: readonly Effect[]
  documents: { live: DocumentTexts; rebuilt: DocumentTexts }
  /** In addition to the audit's bytes, which are among the documents: what the log says of the clients' writes. */
  audit: { writes: readonly AuditedWrite[]; lines: readonly AuditLineSeen[] }
  keptEvents: {
    /** In the order of the log. */
    expected: readonly ExpectedKeptEvent[]
    live: readonly KeptEventSeen[]
    /** Capacity; the next event replaces the oldest. */
    room: number
    /** Ids of messages that a test republished in another partition: they have no guaranteed order. */
    unordered: ReadonlySet<string>
  }
  keyUses: { known: readonly KnownKey[]; seen: readonly KeyUseSeen[] }
  runs: readonly Run[]
  /** Parked messages or streams. */
  parked: readonly string[]
  /** Milliseconds. */
  now: number
}

/** `passing`: may be gone a moment later, when messages in flight have arrived. */
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

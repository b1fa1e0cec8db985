/** What a client knows about the outcome of a write that it sent. */
export type WriteOutcome =
  /** 2xx: the write is in the log, once. */
  | 'acknowledged'
  /** No answer, or 5xx: the write may be in the log, once. */
  | 'unknown'
  /** 4xx: the write is not in the log and never will be. */
  | 'refused'

export interface Write {
  /** A unique name, which the log contains, too. */
  name: string
  /** A writer sends each write after the answer to its previous one. */
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
  /** The name of the write that caused the event; absent for other events. */
  write?: string | undefined
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
  /** An exclusive resource, with the revisions of its stream at which the run acquired and released it. */
  holds?: { resource: string; from: number; until: number | null }
}

export type Fields = Readonly<Record<string, unknown>>

/** The expected audit line of a write, derived from its event in the log. */
export interface AuditedWrite {
  /** Id of the event. */
  id: string
  tenant: string
  at: string
  actor: string
  accessKey: string | null
  /** Fields that the line must have, among others; `null` means nothing existed before. */
  before: Fields | null
  after: Fields | null
}

/** An actual audit line. */
export interface AuditLineSeen extends Omit<AuditedWrite, 'before' | 'after'> {
  /** The unique position of the event in the log. */
  position: string
  before: unknown
  after: unknown
}

/** A public event that must be kept for readers. */
export interface ExpectedKeptEvent {
  id: string
  /** Events of one key are kept in order. */
  key: string
  /** Everything that is kept of the event, except the time and the number. */
  text: string
}

export interface KeptEventSeen {
  id: string
  /** Increases with each kept event, with gaps. */
  number: number
  /** Milliseconds. Readers get the events in this order. */
  keptAt: number
  text: string
}

export interface KnownKey {
  id: string
  /** The tenant that its use is stored in. */
  tenant: string
  /** Milliseconds. */
  madeAt: number
  /** The time of the last write with the key; absent if there was none. */
  wroteAt?: number | undefined
}

export interface KeyUseSeen {
  id: string
  tenant: string
  lastUsedAt: number
}

/** The state of the system after a fault. */
export interface Facts {
  writes: readonly Write[]
  /** All events, in the order in which the store reads them. */
  log: readonly LoggedEvent[]
  /** In the order of the log. */
  expectedMessages: readonly ExpectedMessage[]
  /** In the order of each partition. */
  topics: readonly TopicMessage[]
  expectedEffects: readonly Effect[]
  effects: readonly Effect[]
  documents: { live: DocumentTexts; rebuilt: DocumentTexts }
  /** The audit lines of the clients' writes. Their bytes are also compared, as documents. */
  audit: { writes: readonly AuditedWrite[]; lines: readonly AuditLineSeen[] }
  keptEvents: {
    /** In the order of the log. */
    expected: readonly ExpectedKeptEvent[]
    live: readonly KeptEventSeen[]
    /** When this number is reached, the next event replaces the oldest. */
    capacity: number
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

/** `isTransient`: the problem may disappear once messages in flight have arrived. */
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
  isTransient: boolean
}

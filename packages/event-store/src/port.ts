/**
 * JSON only: ISO text for times, text for integers beyond 2^53, no Date, no Map. Any Unicode, also lone surrogates (JSON
 * escapes them).
 */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }
export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/**
 * Where an event stands in the order of the whole log: the order in which appends were committed, of all tenants and
 * streams. Opaque text of one length per store, increasing, with gaps; compare only with `comparePositions`, and only
 * positions of the same store. An event has one position for ever, the same from `append`, `read`, `readAll` and
 * `subscribe`; a `LogSlice` may also stand at a position where this reader's filter finds no event. A position says
 * nothing of time, and is not carried to another store: whoever moves the log starts again without one.
 */
export type Position = string

/** Who caused an event and when it happened in the outside world (`occurredAt`: ISO 8601 UTC). */
export interface EventMetadata {
  tenant: string
  /** The user behind the key, or `system` for what Assay did on its own. */
  actor: string
  accessKey?: string | undefined
  correlationId?: string | undefined
  causationId?: string | undefined
  /** W3C Trace Context of the work that wrote it. */
  traceparent?: string | undefined
  tracestate?: string | undefined
  schemaVersion: number
  occurredAt: string
}

export interface NewEvent {
  /** UUID. A retry after an unknown outcome sends the same one. */
  id: string
  type: string
  data: JsonObject
  metadata: EventMetadata
}

export interface RecordedEvent extends NewEvent {
  stream: string
  /** 0-based, without gaps. */
  revision: number
  position: Position
  /** ISO 8601 UTC, when the store took it. */
  recordedAt: string
}

/** 'none': the stream must not exist. 'exists': it must. A number: the revision of its last event. */
export type ExpectedRevision = 'none' | 'exists' | 'any' | number

export interface Appended {
  /** Revision of the last event of the batch. */
  revision: number
  position: Position
}

export interface StreamSlice {
  events: RecordedEvent[]
  /**
   * Revision of the last event of the stream, -1 when there is no such stream. Without a `limit`, every event from `from`
   * up to this one is in `events`, whoever appends meanwhile: it is safe to append at it what was decided on them.
   */
  revision: number
}

export interface LogSlice {
  events: RecordedEvent[]
  /** Position to go on from. Everything at or before it has been seen by this reader's filter. */
  position: Position
  /** True when nothing was committed behind `position` at the time of reading. */
  atEnd: boolean
}

/**
 * Which streams a reader of the whole log wants: those whose name is `<tenant>/<category>-<rest>` with one of these
 * categories. Absent: all.
 */
export interface LogFilter {
  categories?: readonly string[] | undefined
}

/**
 * The log: the only write that counts.
 *
 * Promises (asked by `./testing`): a batch is all or nothing; revisions have no gaps; positions increase in commit
 * order, and a reader that has seen a position never later meets a smaller one; what an append acknowledged survives a
 * kill; re-appending the same ids with the same expected revision is a success that adds nothing.
 * Errors: `conflict` (wrong expected revision, nothing written), `too-large` (an event's data over 1 MiB as JSON text in
 * UTF-8, or a batch over 4 MiB), `unavailable`, `unknown-outcome`, `invalid` (bad stream name, no events, or a name, type
 * or id that is not well-formed Unicode).
 */
export interface EventStore {
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>
  /** Events from revision `from` (default 0), all of them unless `limit` is given; the adapter reads in pages. */
  read(stream: string, options?: { from?: number; limit?: number }): Promise<StreamSlice>
  /** Up to `limit` (default 500) events after `after` (default: the beginning). */
  readAll(options?: LogFilter & { after?: Position | undefined; limit?: number }): Promise<LogSlice>
  /**
   * Batches after `after`, for ever, until `signal` aborts. Each is yielded at least once, in order, none is missed.
   * The first comes at once, also when it is empty; later empty ones tell how far the filter has seen.
   */
  subscribe(options: LogFilter & { after?: Position | undefined; signal: AbortSignal }): AsyncIterable<LogSlice>
  /**
   * Lets go of all events of a stream but the last `count` (1 or more) of now, and, where the store can, of what later
   * ones supersede. For streams of which only the end means anything: whoever reads one begins at what is left.
   * Revisions go on. Absent: the store keeps all. Errors: `unavailable`, `timeout`.
   */
  truncate?(stream: string, count: number): Promise<void>
  close(): Promise<void>
}

/** Negative, zero or positive, as `a` stands before, at or behind `b`. Positions are text of one length per store. */
export function comparePositions(a: Position, b: Position): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The one form of stream names: tenant first, then category, then what makes it unique within the category. */
export function streamName(tenant: string, category: string, id: string | number): string {
  return `${tenant}/${category}-${id}`
}

/** The parts of a stream name. `undefined` when it has not that form. */
export function parseStreamName(stream: string): { tenant: string; category: string; id: string } | undefined {
  const match = /^([^/]+)\/([^-]+)-(.+)$/s.exec(stream)
  return match ? { tenant: match[1] ?? '', category: match[2] ?? '', id: match[3] ?? '' } : undefined
}

/**
 * JSON only: ISO text for times, text for integers beyond 2^53, no Date, no Map. Any Unicode, including lone surrogates
 * (JSON escapes them).
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
 * The position of an event in the whole log, in the order of commits over all tenants and streams. Positions are opaque
 * text; in one store they have one length, increase, and have gaps. Compare them only with `comparePositions`, and only
 * within one store. An event keeps its position forever, and `append`, `read`, `readAll` and `subscribe` report the
 * same one. The position of a `LogSlice` may be that of an event that the reader's filter leaves out. A position says
 * nothing about time, and is not valid in another store: after moving the log, read it from the beginning.
 */
export type Position = string

/** Who caused an event, and when (`occurredAt`: ISO 8601 UTC). */
export interface EventMetadata {
  tenant: string
  /** The user of the key, or `system` for Assay's own events. */
  actor: string
  accessKey?: string | undefined
  correlationId?: string | undefined
  causationId?: string | undefined
  /** W3C Trace Context of the work that wrote the event. */
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
  /** When the store accepted it, ISO 8601 UTC. */
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
   * Revision of the last event of the stream, -1 if there is no such stream. Without a `limit`, `events` has every
   * event from `from` up to this one, despite concurrent writers: it is safe to append at this revision after deciding
   * on them.
   */
  revision: number
}

export interface LogSlice {
  events: RecordedEvent[]
  /** Position to continue from. All events at or before it have passed this reader's filter or were left out by it. */
  position: Position
  /** True if nothing was committed after `position` at the time of reading. */
  atEnd: boolean
}

/**
 * The streams that a reader of the whole log wants: streams named `<tenant>/<category>-<rest>` with one of these
 * categories. Default: all streams.
 */
export interface LogFilter {
  categories?: readonly string[] | undefined
}

/**
 * The log: the only write that counts.
 *
 * Guarantees (tested by `./testing`): a batch is all or nothing; revisions have no gaps; positions increase in commit
 * order, and a reader that has seen a position never sees a smaller one later; an acknowledged append survives a killed
 * process; appending the same ids again with the same expected revision succeeds without effect. Errors: `conflict`
 * (wrong expected revision, nothing written), `too-large` (an event's data over 1 MiB as JSON text in UTF-8, or a batch
 * over 4 MiB), `unavailable`, `unknown-outcome`, `invalid` (bad stream name, no events, or a name, type or id that is
 * not well-formed Unicode).
 */
export interface EventStore {
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended>
  /** Events from revision `from` (default 0), all of them unless `limit` is given; the adapter reads in pages. */
  read(stream: string, options?: { from?: number; limit?: number }): Promise<StreamSlice>
  /** Up to `limit` (default 500) events after `after` (default: the beginning). */
  readAll(options?: LogFilter & { after?: Position | undefined; limit?: number }): Promise<LogSlice>
  /**
   * Batches after `after`, until `signal` aborts. Each is yielded at least once, in order, without gaps. The first one
   * is yielded immediately, even if it is empty; later empty ones report the progress of the filter.
   */
  subscribe(options: LogFilter & { after?: Position | undefined; signal: AbortSignal }): AsyncIterable<LogSlice>
  /**
   * Truncates a stream to its last `count` events (1 or more); some stores keep truncating it later. Meant for streams
   * of which only the end matters. Readers start at the first remaining event, and later revisions continue to count.
   * Omitted if the store keeps all events. Errors: `unavailable`, `timeout`.
   */
  truncate?(stream: string, count: number): Promise<void>
  close(): Promise<void>
}

/** Negative, zero or positive if `a` is before, at or after `b`. Positions are text of one length per store. */
export function comparePositions(a: Position, b: Position): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The form of stream names: tenant, then category, then an id that is unique within the category. */
export function streamName(tenant: string, category: string, id: string | number): string {
  return `${tenant}/${category}-${id}`
}

/** The parts of a stream name. `undefined` if it has another form. */
export function parseStreamName(stream: string): { tenant: string; category: string; id: string } | undefined {
  const match = /^([^/]+)\/([^-]+)-(.+)$/s.exec(stream)
  return match ? { tenant: match[1] ?? '', category: match[2] ?? '', id: match[3] ?? '' } : undefined
}

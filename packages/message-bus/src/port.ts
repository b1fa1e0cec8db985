/** What one service tells another, or the world. `id` is the id of the event that it comes from. */
export interface Message {
  id: string
  /** Messages of one key are handled in the order in which they were published. */
  key: string
  type: string
  tenant: string
  /** ISO 8601 UTC. */
  time: string
  /** Position of the event in the log, so that a receiver knows how far it has followed. */
  position: string
  data: unknown
  /** W3C Trace Context of whoever sent it. */
  traceparent?: string | undefined
  tracestate?: string | undefined
}

/**
 * What a handler says of a message. `retry`: again after a pause that grows, at most the adapter's limit, then parked;
 * an error that is passing (`isTransient`: a disk that is full, a store that is away) does not count and is tried for ever.
 * `park`: this one and all later ones of the same key wait, until somebody replays them; other keys go on.
 */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'skip'; reason: string }
  | { kind: 'retry'; error: unknown }
  | { kind: 'park'; reason: string }

export const done: Outcome = { kind: 'done' }

export interface Delivery {
  topic: string
  message: Message
  /** 1 for the first try. */
  attempt: number
}

export interface Parked {
  topic: string
  group: string
  message: Message
  reason: string
}

export interface Subscription {
  /** Messages that are published and not yet handled by this group. What is parked does not count. */
  lag(): Promise<number>
  /** Finishes the handler that runs, keeps the checkpoint, leaves the group. */
  close(): Promise<void>
}

/**
 * Promises (asked by `./testing`): at least once; in order per key and group; a group goes on where it stopped, also
 * after a kill; two groups each get everything; a message published twice with one id is handled once by a group that
 * has handled it; a parked key holds back its later messages and no other key's.
 * A handler that throws is taken as `retry`. Order is kept within a topic; two topics are not ordered to each other.
 * A group that is new gets what is still kept. An id is remembered for as long as its message is kept, at least a day.
 */
export interface MessageBus {
  /** Durable when it resolves. */
  publish(topic: string, messages: readonly Message[]): Promise<void>
  subscribe(options: {
    topics: readonly string[]
    group: string
    handle: (delivery: Delivery) => Promise<Outcome>
  }): Promise<Subscription>
  parked(group: string): Promise<Parked[]>
  /** How many there are, without loading their bodies each time. */
  parkedCount(group: string): Promise<number>
  /** Puts the parked messages of a key back, in order and before later ones. Answers how many. */
  replayParked(group: string, key: string): Promise<number>
  close(): Promise<void>
}

/** What an adapter tells, beside the port, the process that runs it. */
export interface BusAdapter extends MessageBus {
  /**
   * Whether the bus still makes progress; where it does not, the process should be restarted. False once its cluster or
   * file has given neither an answer nor an error for `unhealthyAfterMs`, and true again when answers come; false for a
   * closed bus. Anything that a restart would not mend leaves it true: no subscription, nothing to do, slow or failing
   * handlers, parked messages, and errors, which are reported and retried.
   */
  healthy(): boolean
}

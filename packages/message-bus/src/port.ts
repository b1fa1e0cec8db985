/** A message between services or to the public. `id` is the id of the event that it comes from. */
export interface Message {
  id: string
  /** Messages of one key are handled in the order in which they were published. */
  key: string
  type: string
  tenant: string
  /** ISO 8601 UTC. */
  time: string
  /** Position of the event in the log, so that a receiver knows which position it has reached. */
  position: string
  data: unknown
  /** W3C Trace Context of the sender. */
  traceparent?: string | undefined
  tracestate?: string | undefined
}

/**
 * A handler's answer to a message. `retry`: again after a growing pause, up to the adapter's limit, then parked; a
 * transient error (`isTransient`: a full disk, a store that is down) does not count and is retried forever. `park`:
 * this one and all later ones of the same key wait until somebody replays them; other keys continue.
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
  /** 1 for the first attempt. */
  attempt: number
}

export interface Parked {
  topic: string
  group: string
  message: Omit<Message, 'data'>
  reason: string
}

export interface Subscription {
  /** Messages that are published and not yet handled by this group. Parked ones do not count. */
  lag(): Promise<number>
  /** Finishes the running handler, saves the checkpoint, leaves the group. */
  close(): Promise<void>
}

/**
 * Guarantees (tested by `./testing`): at least once; in order per key and group; a group continues where it stopped,
 * also after a kill; every group gets everything; a parked key holds back its later messages and no other key's. A handler
 * that throws counts as `retry`. Order holds within a topic, not across topics. A new group gets everything that is still
 * kept. A message may come again, also long after later ones of its key, so every handler's effect is idempotent: it is
 * guarded by revision or by the message's id.
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
  /**
   * Releases the parked messages of keys, in order and before later ones. The first one of each key of topic
   * `dropFirstOf` is dropped instead. Returns how many there were.
   */
  replayParked(group: string, keys: readonly string[], dropFirstOf?: string): Promise<number>
  close(): Promise<void>
}

/** What an adapter reports to its process, in addition to the port. */
export interface BusAdapter extends MessageBus {
  /**
   * Whether the bus still makes progress; where it does not, the process should be restarted. False once its cluster or
   * file has given neither an answer nor an error for `unhealthyAfterMs`, and true again when answers come; false for a
   * closed bus. Anything that a restart would not mend leaves it true: no subscription, nothing to do, slow or failing
   * handlers, parked messages, and errors, which are reported and retried.
   */
  healthy(): boolean
}

/** A message to other services or to public subscribers. `id` is the id of the message's event. */
export interface Message {
  id: string
  /** Messages of one key are handled in the order in which they were published. */
  key: string
  type: string
  tenant: string
  /** ISO 8601 UTC. */
  time: string
  /** Position of the event in the log. Receivers use it to track their progress. */
  position: string
  data: unknown
  /** W3C Trace Context of the sender. */
  traceparent?: string | undefined
  tracestate?: string | undefined
}

/**
 * A handler's answer to a message.
 * `retry`: the message is handled again after a growing pause. After the adapter's maximum number of attempts it is
 * parked. Attempts with a transient error (`isTransient`: a full disk, a store that is down) do not count.
 * `park`: this message and all later ones of its key wait until an operator replays them. Other keys continue.
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
  /** Number of messages that are published and that this group has not handled yet. Parked ones do not count. */
  lag(): Promise<number>
  /** Finishes the running handler, saves the checkpoint, leaves the group. */
  close(): Promise<void>
}

/**
 * Guarantees (tested by `./testing`): delivery at least once; order per key and group; a group continues where it
 * stopped, even after a kill; every group gets all messages; a parked key delays its later messages and no other keys.
 * A handler that throws counts as `retry`. Order holds within a topic, not across topics. A new group gets all retained
 * messages. A message may be redelivered, even long after later ones of its key. So handlers must be idempotent: guard
 * effects by revision or message id.
 */
export interface MessageBus {
  /** The messages are durable once this resolves. */
  publish(topic: string, messages: readonly Message[]): Promise<void>
  subscribe(options: {
    topics: readonly string[]
    group: string
    handle: (delivery: Delivery) => Promise<Outcome>
  }): Promise<Subscription>
  parked(group: string): Promise<Parked[]>
  /** The number of parked messages, without loading their bodies. */
  parkedCount(group: string): Promise<number>
  /**
   * Releases the parked messages of keys, in order and before later messages. If the topic of a key is `dropFirstOf`,
   * its first message is dropped instead of released. Returns the number of messages.
   */
  replayParked(group: string, keys: readonly string[], dropFirstOf?: string): Promise<number>
  close(): Promise<void>
}

/** A bus that also reports its health. */
export interface BusAdapter extends MessageBus {
  /**
   * Whether the bus makes progress. If not, restart the process. False if the bus is closed, or if its cluster or file
   * has given neither an answer nor an error for `unhealthyAfterMs`; true again after the next answer. True in all
   * situations that a restart would not fix: no subscription, an idle topic, slow or failing handlers, parked messages,
   * and errors, which are reported and retried.
   */
  healthy(): boolean
}

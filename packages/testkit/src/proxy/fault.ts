/** A fault of the network. It lasts until `heal`, also for new connections. */
export type Fault =
  /** Both directions are delayed by this much, in order. */
  | { kind: 'delay'; ms: number }
  /** Requests arrive; answers are dropped. */
  | { kind: 'drop-answers' }
  /** Half-open: nothing arrives at either end, and neither notices. Bytes in flight are lost with the connection. */
  | { kind: 'silence' }
  /** Connections are cut as they are made. */
  | { kind: 'refuse' }

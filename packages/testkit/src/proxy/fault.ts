/** A fault of the network. It lasts until `heal`, and also applies to new connections. */
export type Fault =
  /** Delays both directions and keeps the order. */
  | { kind: 'delay'; ms: number }
  /** Delivers requests and drops answers. */
  | { kind: 'drop-answers' }
  /** Half-open: nothing arrives at either end, and neither end notices. Bytes in flight are lost. */
  | { kind: 'silence' }
  /** Cuts each connection as soon as it is made. */
  | { kind: 'refuse' }

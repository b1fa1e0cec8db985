/** What happens to bytes on their way. Each lasts until `heal`, also for connections that are made meanwhile. */
export type Fault =
  /** Both directions arrive so much later, in order. */
  | { kind: 'delay'; ms: number }
  /** What clients send arrives; what is answered is thrown away. */
  | { kind: 'drop-answers' }
  /** Half-open: nothing arrives at either end, and neither is told. What was under way is lost with the connection. */
  | { kind: 'silence' }
  /** Connections are cut as they are made. */
  | { kind: 'refuse' }

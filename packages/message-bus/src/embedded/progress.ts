/**
 * The progress of a group in one topic. Messages of different keys may be handled out of order. Numbers are the
 * messages' numbers in the log: they increase, with gaps.
 */
export interface Progress {
  /** The number of the last message read from the log. */
  read(): number
  /**
   * Records that a message was read from the log. Call it in order. Returns false if the message was handled before a
   * restart.
   */
  load(seq: number): boolean
  handle(seq: number): void
  /** Every message up to and including this number is handled. */
  checkpoint(): number
  /** Number of messages that were read and are not handled. */
  open(): number
}

/** `handledBeyond`: the messages handled after the last checkpoint. */
export function createProgress(checkpoint: number, handledBeyond: Iterable<number>): Progress {
  const handledBefore = new Set(handledBeyond)
  /** In ascending order, because messages are loaded in order and a Set keeps insertion order. */
  const open = new Set<number>()
  let read = checkpoint
  return {
    read: () => read,
    load(seq) {
      read = seq
      if (handledBefore.delete(seq)) return false
      open.add(seq)
      return true
    },
    handle(seq) {
      open.delete(seq)
    },
    checkpoint() {
      for (const first of open) return first - 1
      return read
    },
    open: () => open.size,
  }
}

/**
 * The progress of a group in one topic, with messages handled out of order across keys. Numbers are the messages'
 * numbers in the log: increasing, with gaps.
 */
export interface Progress {
  /** The number of the last message read from the log. */
  read(): number
  /** A message was read from the log; call in order. Returns false if it was handled before a restart. */
  load(seq: number): boolean
  handle(seq: number): void
  /** Every message up to this number is handled. */
  checkpoint(): number
  /** Messages read and not handled. */
  open(): number
}

/** `handledBeyond`: the messages handled after the last checkpoint. */
export function createProgress(checkpoint: number, handledBeyond: Iterable<number>): Progress {
  const handledBefore = new Set(handledBeyond)
  /** Ascending, because messages are loaded in order and a Set keeps insertion order. */
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

/**
 * How far a group has followed one topic, when messages are handled out of order across keys.
 * Numbers are the messages' numbers in the log: increasing, with gaps.
 */
export interface Progress {
  /** The number of the last message that was read from the log. */
  read(): number
  /** A message was read from the log; must come in order. Answers false when it was handled in an earlier life. */
  load(seq: number): boolean
  handle(seq: number): void
  /** Every message up to this number is handled. */
  checkpoint(): number
  /** Messages read and not handled. */
  open(): number
}

/** `handledBeyond`: the messages that were handled beyond the last checkpoint. */
export function createProgress(checkpoint: number, handledBeyond: Iterable<number>): Progress {
  const handledBefore = new Set(handledBeyond)
  /** In order, because messages are loaded in order and a Set keeps the order of insertion. */
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

import type { Handled, Range } from './handled.ts'

/** The progress of a group in one partition. Messages of different keys may be handled out of order. */
export interface Progress {
  /** The first offset that was not read. */
  next(): number
  /**
   * Records that a message was read. Offsets must increase. Returns false if it was read before, or was handled before
   * a restart.
   */
  load(offset: number): boolean
  handle(offset: number): void
  /** Number of messages that were read and are not handled. */
  open(): number
  handled(): Handled
}

export function createProgress(from: Handled): Progress {
  /** In ascending order, because messages are read in order and a Set keeps insertion order. */
  const open = new Set<number>()
  /** Ranges that were handled before a restart, and that have not been read again yet. */
  const ahead: Range[] = from.beyond.map((range) => ({ ...range }))
  let next = from.offset

  /** Advances the last read offset. Handled offsets that follow directly count as read. */
  function readUpTo(offset: number): void {
    next = Math.max(next, offset)
    for (let first = ahead[0]; first !== undefined && first.start <= next; first = ahead[0]) {
      next = Math.max(next, first.end)
      ahead.shift()
    }
  }

  readUpTo(from.offset)
  return {
    next: () => next,
    load(offset) {
      if (offset < next) return false
      const first = ahead[0]
      if (first !== undefined && offset >= first.start && offset < first.end) {
        readUpTo(offset)
        return false
      }
      open.add(offset)
      readUpTo(offset + 1)
      return true
    },
    handle(offset) {
      open.delete(offset)
    },
    open: () => open.size,
    handled() {
      let offset: number | undefined
      let at = 0
      const beyond: Range[] = []
      for (const unhandled of open) {
        if (offset === undefined) offset = unhandled
        else if (unhandled > at) beyond.push({ start: at, end: unhandled })
        at = unhandled + 1
      }
      if (offset === undefined) return { offset: next, beyond: ahead.map((range) => ({ ...range })) }
      if (next > at) beyond.push({ start: at, end: next })
      return { offset, beyond: [...beyond, ...ahead.map((range) => ({ ...range }))] }
    },
  }
}

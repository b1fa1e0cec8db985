import type { Clock } from '@assay/service-kit'

/** Detects whether the current consumer of a subscription has stalled, from its activity. */
export interface Liveness {
  /**
   * Epoch milliseconds of the last poll, or of a later restart after an error. A restart after a stall does not count.
   */
  lastPoll(): number
  /** A new consumer starts. */
  begun(): void
  /** The consumer is about to join the group. */
  joins(): void
  joined(): void
  /** The cluster has answered a poll. */
  polled(): void
  /** The group has accepted a heartbeat. */
  confirmed(): void
  /**
   * Whether the group has confirmed this member within its session. If not, other members may have its partitions. A
   * poll confirms nothing: brokers answer any member, and after a pause of the process the answer may be old.
   */
  isConfirmed(): boolean
  /** Whether the consumer has been inactive for `abandonAfterMs`. */
  isStalled(): boolean
  /** The stalled consumer is abandoned. */
  abandoned(): void
}

/** `abandonAfterMs`: longer than any normal inactivity of a consumer, such as a join. */
export function createLiveness(
  clock: Clock,
  { abandonAfterMs, sessionTimeoutMs }: { abandonAfterMs: number; sessionTimeoutMs: number },
): Liveness {
  let lastPoll = clock.now()
  let begun = lastPoll
  let joining: number | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let hasStalled = false

  function confirmed(): void {
    confirmedAt = clock.now()
  }

  function polled(): void {
    lastPoll = clock.now()
    hasStalled = false
  }

  return {
    lastPoll: () => lastPoll,
    begun() {
      begun = clock.now()
      joining = undefined
      if (!hasStalled) lastPoll = begun
    },
    joins() {
      joining = clock.now()
    },
    joined() {
      joining = undefined
      confirmed()
      polled()
    },
    polled,
    confirmed,
    isConfirmed: () => clock.now() - confirmedAt < sessionTimeoutMs,
    // Polls during a join do not count, because their messages are not handled.
    isStalled: () => clock.now() - (joining ?? Math.max(lastPoll, begun)) >= abandonAfterMs,
    abandoned() {
      hasStalled = true
    },
  }
}

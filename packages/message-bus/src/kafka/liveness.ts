import type { Clock } from '@assay/service-kit'

/**
 * Detects from the activity of a subscription's consumers, one after the other, whether the current one has stalled.
 */
export interface Liveness {
  /**
   * Epoch milliseconds of the last poll, or of the restart with another consumer after an error. A restart because of a
   * stall does not count.
   */
  lastPoll(): number
  /** Another consumer is started. */
  begun(): void
  /** It is about to join the group. */
  joins(): void
  joined(): void
  /** The cluster has answered a poll. */
  polled(): void
  /** The group has accepted a heartbeat. */
  confirmed(): void
  /**
   * Whether the group has confirmed this member within its session; otherwise others may have its partitions. A poll tells
   * nothing: brokers answer it whoever has the partition, and after a pause its answer may be from before.
   */
  isConfirmed(): boolean
  /** Whether it has been idle for so long that it will not continue. */
  standsStill(): boolean
  /** The stalled consumer is abandoned. */
  givenUp(): void
}

/** `givenUpAfterMs`: longer than any normal inactivity of a consumer, such as a join. */
export function createLiveness(
  clock: Clock,
  { givenUpAfterMs, sessionTimeoutMs }: { givenUpAfterMs: number; sessionTimeoutMs: number },
): Liveness {
  let lastPoll = clock.now()
  let begun = lastPoll
  let joining: number | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let isMute = false

  function confirmed(): void {
    confirmedAt = clock.now()
  }

  function polled(): void {
    lastPoll = clock.now()
    isMute = false
  }

  return {
    lastPoll: () => lastPoll,
    begun() {
      begun = clock.now()
      joining = undefined
      if (!isMute) lastPoll = begun
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
    // While it joins, nothing that it fetches is handled.
    standsStill: () => clock.now() - (joining ?? Math.max(lastPoll, begun)) >= givenUpAfterMs,
    givenUp() {
      isMute = true
    },
  }
}

import type { Clock } from '@assay/service-kit'

/** Tells from what the consumers of a subscription do, one after the other, whether the present one stands still. */
export interface Liveness {
  /**
   * Epoch milliseconds at which the cluster was last asked for messages, or another consumer was begun with after an
   * error. One that was begun with because the one before stood still proves nothing by that.
   */
  lastPoll(): number
  /** Another consumer is begun with. */
  begun(): void
  /** It is about to ask for its part of the group's partitions. */
  joins(): void
  joined(): void
  /** The cluster has answered when it was asked for messages. */
  polled(): void
  /** Whether it has done nothing for so long that it will not do anything any more. */
  standsStill(): boolean
  /** The consumer stood still, and is given up. */
  givenUp(): void
}

/** `timeoutMs`: longer than anything lasts in which a consumer does nothing; a join is such a thing. */
export function createLiveness(clock: Clock, timeoutMs: number): Liveness {
  let lastPoll = clock.now()
  let begun = lastPoll
  let joining: number | undefined
  let isMute = false

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
      polled()
    },
    polled,
    // While it joins, nothing of what it fetches is handled.
    standsStill: () => clock.now() - (joining ?? Math.max(lastPoll, begun)) >= timeoutMs,
    givenUp() {
      isMute = true
    },
  }
}

import type { DeliveryCommand } from '../delivery/delivery.ts'

const noReader = 'The owner of the channel has no valid key that may read this notification.'

/** Parks a delivery that the owner may not read. Not a failure of the channel, because nothing was sent. Pure. */
export function parkUnreadable(at: string): DeliveryCommand {
  const attempt = { at, status: null, latencyMs: 0, error: noReader }
  return { type: 'RecordAttempt', attempt, delivered: false, nextAttemptAt: null, at }
}

import type { Clock } from '@assay/service-kit'

/** Number of consecutive failures that open the circuit. */
const failuresToOpen = 5
const openMs = 2_000

/** Circuit breaker: after five consecutive failures nothing is sent for two seconds; then one probe decides. */
export interface Circuit {
  /**
   * 0: send the request and report its outcome with one of the other methods. Otherwise the milliseconds until a retry
   * makes sense.
   */
  enter(): number
  succeeded(): void
  failed(): void
  /** The outcome is unknown, for example because the caller left. */
  abandoned(): void
  isOpen(): boolean
}

export function createCircuit(clock: Clock): Circuit {
  let failures = 0
  let openUntil = 0
  let isProbing = false
  const isOpen = () => failures >= failuresToOpen
  return {
    isOpen,
    enter() {
      if (!isOpen()) return 0
      const remaining = openUntil - clock.now()
      if (remaining > 0) return remaining
      if (isProbing) return openMs
      isProbing = true
      return 0
    },
    succeeded() {
      failures = 0
      isProbing = false
    },
    failed() {
      failures += 1
      isProbing = false
      if (isOpen()) openUntil = clock.now() + openMs
    },
    abandoned() {
      isProbing = false
    },
  }
}

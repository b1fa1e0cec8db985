import type { Clock } from '@assay/service-kit'

/** Failures in a row after which a service is left alone for a while. */
const failuresToOpen = 5
const openMs = 2_000

/**
 * Spares callers the wait for a service that does not answer, and the service the callers. After five failures in a row
 * nothing is sent for two seconds; then one request tries, and its outcome decides.
 */
export interface Circuit {
  /** 0: send it, and then tell how it went by one of the others. Else: milliseconds until it is worth another try. */
  enter(): number
  succeeded(): void
  failed(): void
  /** It is not known whether the service would have answered. */
  leftOpenEnded(): void
  isOpen(): boolean
}

export function createCircuit(clock: Clock): Circuit {
  let failures = 0
  let openUntil = 0
  let isTrying = false
  const isOpen = () => failures >= failuresToOpen
  return {
    isOpen,
    enter() {
      if (!isOpen()) return 0
      const remaining = openUntil - clock.now()
      if (remaining > 0) return remaining
      if (isTrying) return openMs
      isTrying = true
      return 0
    },
    succeeded() {
      failures = 0
      isTrying = false
    },
    failed() {
      failures += 1
      isTrying = false
      if (isOpen()) openUntil = clock.now() + openMs
    },
    leftOpenEnded() {
      isTrying = false
    },
  }
}

import type { Timers } from '@assay/service-kit'

const defaultTimeoutMs = 2_000
const firstPauseMs = 5
const longestPauseMs = 250
/** Maximum number of remembered states that did not arrive. */
const maxLate = 10_000

/** What a caller has seen of another service: states such as `tag-12@3`. */
export interface Seen {
  tenant: string
  /** The access key of the caller, whose states are not known to be true. */
  caller: string
  /** If there is none, the request does not wait. */
  seen: readonly string[] | undefined
  signal?: AbortSignal | undefined
}

/** The states in `seen` that a local read model lacks. Texts that it does not know are not missing: they are hints. */
export type Missing = (tenant: string, seen: readonly string[]) => Promise<readonly string[]>

/**
 * Read-your-writes across services: waits until a local read model includes what its caller has seen, or up to a timeout.
 * Returns what is still missing; the caller usually continues with the read model as it is. Once a state timed out, no
 * other request of the same caller waits for it.
 */
export type ReadYourWrites = (wanted: Seen) => Promise<readonly string[]>

/** Checks repeatedly, because any replica may handle the message. The pauses grow with the time waited. */
export function createReadYourWrites(deps: {
  timers: Pick<Timers, 'sleep'>
  missing: Missing
  timeoutMs?: number
}): ReadYourWrites {
  const { timers, missing, timeoutMs = defaultTimeoutMs } = deps
  const late = new Set<string>()
  const keyOf = ({ tenant, caller }: Seen, state: string) => JSON.stringify([tenant, caller, state])

  function rememberLate(by: Seen, states: readonly string[]): void {
    for (const state of states) late.add(keyOf(by, state))
    for (const oldest of late) {
      if (late.size <= maxLate) return
      late.delete(oldest)
    }
  }

  return async (wanted) => {
    const { tenant, seen = [], signal } = wanted
    if (seen.length === 0) return []
    let left = await missing(tenant, seen)
    let pauseMs = firstPauseMs
    for (let waited = 0; waited < timeoutMs && left.some((state) => !late.has(keyOf(wanted, state))); ) {
      await timers.sleep(pauseMs, signal)
      if (signal?.aborted) return left
      waited += pauseMs
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      left = await missing(tenant, left)
    }
    rememberLate(wanted, left)
    return left
  }
}

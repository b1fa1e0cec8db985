import type { ServiceName } from '@assay/contracts'
import type { Position } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000
/** Within it, what was answered reaches the other services; who waited for it longer would wait for something else. */
const keptMs = 10_000
/**
 * Where each service stood in what it answered to a key, or what the key has written there, lately: with it, a client
 * that knows nothing of positions reads its own writes.
 */
export interface AnsweredPositions {
  remember(accessKey: string, service: ServiceName, position: Position): void
  /** The positions of the request and the remembered ones. */
  with(
    accessKey: string,
    seen: ReadonlyMap<ServiceName, readonly Position[]>,
  ): ReadonlyMap<ServiceName, readonly Position[]>
}

interface Remembered {
  service: ServiceName
  position: Position
  until: number
}

/** Keeps what is newest at the end, and of one service at most `maxPositions`. */
function kept(known: Remembered[], added: Remembered, maxPositions: number, now: number): Remembered[] {
  const last = known.at(-1)
  // Most answers of a key that reads are the same as the one before.
  if (known.length === 1 && last?.service === added.service && last.position === added.position) {
    last.until = added.until
    return known
  }
  const others = known.filter(
    (each) => each.until > now && (each.service !== added.service || each.position !== added.position),
  )
  const ofService = others.filter((each) => each.service === added.service)
  const dropped = ofService.length < maxPositions ? undefined : ofService[0]
  return [...others.filter((each) => each !== dropped), added]
}

/** `maxPositions`: of one service and key. */
export function createAnsweredPositions(clock: Clock, maxPositions: number): AnsweredPositions {
  const byKey = createRecentlyUsed<Remembered[]>(capacity)
  return {
    remember(accessKey, service, position) {
      const now = clock.now()
      const known = byKey.get(accessKey) ?? []
      const all = kept(known, { service, position, until: now + keptMs }, maxPositions, now)
      if (all !== known) byKey.set(accessKey, all)
    },
    with(accessKey, seen) {
      const known = byKey.get(accessKey)
      if (known === undefined) return seen
      const all = new Map(seen)
      const now = clock.now()
      for (const { service, position, until } of known) {
        if (until <= now) continue
        const positions = all.get(service)
        if (positions === undefined) all.set(service, [position])
        else if (!positions.includes(position)) all.set(service, [...positions, position])
      }
      return all
    },
  }
}

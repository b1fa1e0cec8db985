import type { ServiceName } from '@assay/contracts'
import type { Position } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000
/** Local read models catch up within this time. Waiting for older positions would only cost time. */
const keptMs = 10_000
/**
 * The positions that each service recently answered to a key, for its reads and its writes. With them a client that
 * knows nothing of positions reads its own writes.
 */
export interface AnsweredPositions {
  remember(accessKey: string, service: ServiceName, position: Position): void
  /** The positions of the request plus the remembered ones. */
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

/** Keeps the newest last, and at most `maxPositions` per service. */
function kept(known: Remembered[], added: Remembered, maxPositions: number, now: number): Remembered[] {
  const last = known.at(-1)
  // Most answers to a key that only reads carry the same position as the one before.
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

/** `maxPositions`: per service and key. */
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

import type { ServiceName } from '@assay/contracts'
import type { Position } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000
/** Within it, what was answered reaches the other services; who waited for it longer would wait for something else. */
const keptMs = 10_000
/** Of one service and key. */
const maxPositions = 8

/**
 * Where each service stood in what it answered to a key, lately: with it, a client that knows nothing of positions reads
 * its own writes.
 */
export interface AnsweredPositions {
  remember(accessKey: string, service: ServiceName, position: Position): void
  /** The positions of the request and the remembered ones. */
  with(accessKey: string, seen: ReadonlyMap<ServiceName, readonly Position[]>): Map<ServiceName, readonly Position[]>
}

interface Remembered {
  service: ServiceName
  position: Position
  until: number
}

export function createAnsweredPositions(clock: Clock): AnsweredPositions {
  const byKey = createRecentlyUsed<readonly Remembered[]>(capacity)
  return {
    remember(accessKey, service, position) {
      const now = clock.now()
      const others = (byKey.get(accessKey) ?? []).filter(
        (each) => each.until > now && (each.service !== service || each.position !== position),
      )
      const ofService = others.filter((each) => each.service === service)
      const dropped = ofService.length < maxPositions ? undefined : ofService[0]
      const kept = others.filter((each) => each !== dropped)
      byKey.set(accessKey, [...kept, { service, position, until: now + keptMs }])
    },
    with(accessKey, seen) {
      const all = new Map(seen)
      const now = clock.now()
      for (const { service, position, until } of byKey.get(accessKey) ?? []) {
        const known = all.get(service) ?? []
        if (until > now && !known.includes(position)) all.set(service, [...known, position])
      }
      return all
    },
  }
}

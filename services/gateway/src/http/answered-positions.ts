import type { ServiceName } from '@assay/contracts'
import { comparePositions, type Position } from '@assay/event-store'
import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000

/**
 * How far each service had come in what it answered to a key: with it, a client that knows nothing of positions reads its
 * own writes.
 */
export interface AnsweredPositions {
  remember(accessKey: string, service: ServiceName, position: Position): void
  /** The positions of the request and the remembered ones; of each service the later one. */
  with(accessKey: string, seen: ReadonlyMap<ServiceName, Position>): Map<ServiceName, Position>
}

function laterOf(known: Position | undefined, position: Position): Position {
  return known !== undefined && comparePositions(known, position) > 0 ? known : position
}

export function createAnsweredPositions(): AnsweredPositions {
  const byKey = createRecentlyUsed<Map<ServiceName, Position>>(capacity)
  return {
    remember(accessKey, service, position) {
      const positions = byKey.get(accessKey) ?? new Map<ServiceName, Position>()
      positions.set(service, laterOf(positions.get(service), position))
      byKey.set(accessKey, positions)
    },
    with(accessKey, seen) {
      const all = new Map(seen)
      for (const [service, position] of byKey.get(accessKey) ?? [])
        all.set(service, laterOf(all.get(service), position))
      return all
    },
  }
}

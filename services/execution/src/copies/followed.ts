import type { Collection, Documents } from '@assay/documents'
import { comparePositions } from '@assay/event-store'
import type { Timers } from '@assay/service-kit'

/** How long a request waits for what its caller has already seen at the service that owns it. */
const patienceMs = 2_000

/** How far copies fed by the bus have followed their owner's log, for each tenant. */
export interface Followed {
  advance(tenant: string, position: string): void
  /** Resolves when the copies have reached `position`, or after two seconds: then what is there has to do. */
  reach(tenant: string, position: string | undefined, signal: AbortSignal): Promise<void>
}

/** `collection` holds the copies; its field `position` tells how far they had come before this process began. */
export function createFollowed<T>(deps: { documents: Pick<Documents, 'find'>; timers: Pick<Timers, 'sleep'>; collection: Collection<T> }): Followed {
  const reached = new Map<string, string>()
  const waiting = new Set<{ tenant: string; position: string; proceed: AbortController }>()

  const advance = (tenant: string, position: string) => {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
    for (const waiter of waiting) {
      if (waiter.tenant === tenant && comparePositions(position, waiter.position) >= 0) waiter.proceed.abort()
    }
  }
  const isReached = (tenant: string, position: string) => {
    const known = reached.get(tenant)
    return known !== undefined && comparePositions(known, position) >= 0
  }

  return {
    advance,
    reach: async (tenant, position, signal) => {
      if (position === undefined || isReached(tenant, position)) return
      const proceed = new AbortController()
      const waiter = { tenant, position, proceed }
      waiting.add(waiter)
      try {
        const stored = await deps.documents.find(deps.collection, tenant, {
          sort: [{ field: 'position', direction: 'desc' }],
          size: 1,
        })
        const newest = stored.documents[0]
        if (newest !== undefined) advance(tenant, String(deps.collection.fields.position?.of(newest) ?? ''))
        await deps.timers.sleep(patienceMs, AbortSignal.any([proceed.signal, signal]))
      } finally {
        waiting.delete(waiter)
      }
    },
  }
}

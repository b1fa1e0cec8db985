import type { Collection, Documents } from '@assay/documents'
import { comparePositions } from '@assay/event-store'
import type { Clock, Timers } from '@assay/service-kit'

/** How long a request waits for what its caller has already seen at the service that owns it. */
const patienceMs = 2_000
const lookAgainMs = 10

/** How far the copies of one collection have followed their owner's log, for each tenant. */
export interface Followed {
  advance(tenant: string, position: string): void
  /** Resolves when the copies have reached `position`, or after two seconds: then what is there has to do. */
  reach(tenant: string, position: string | undefined, signal: AbortSignal): Promise<void>
}

/** `collection` has a field `position`: how far its copies had come before this process began. */
export function createFollowed<T>(deps: {
  documents: Documents
  timers: Timers
  clock: Clock
  collection: Collection<T>
}): Followed {
  const { documents, timers, clock, collection } = deps
  const reached = new Map<string, string>()

  function advance(tenant: string, position: string): void {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
  }

  async function readBack(tenant: string): Promise<void> {
    const newest = { sort: [{ field: 'position', direction: 'desc' as const }], size: 1 }
    const [document] = (await documents.find(collection, tenant, newest)).documents
    const position = document === undefined ? undefined : collection.fields.position?.of(document)
    if (typeof position === 'string') advance(tenant, position)
  }

  return {
    advance,
    async reach(tenant, position, signal) {
      if (position === undefined) return
      const until = clock.now() + patienceMs
      const behind = () => comparePositions(reached.get(tenant) ?? '', position) < 0
      if (behind()) await readBack(tenant)
      while (behind() && clock.now() < until && !signal.aborted) await timers.sleep(lookAgainMs, signal)
    },
  }
}

import type { Collection, Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { comparePositions } from './port.ts'

/** How long a request waits for what its caller has already seen at the service that owns it. */
const patienceMs = 2_000

/** How far copies fed by the bus have followed their owner's log, for each tenant. */
export interface Followed {
  /**
   * Does the work of a message. Messages of different keys may overtake each other, so what is under way, or has failed
   * and will come again, is not reached.
   */
  follow(tenant: string, position: string, work: () => Promise<void>): Promise<void>
  /** Resolves when the copies have reached `position`, or after two seconds: then what is there has to do. */
  reach(tenant: string, position: string | undefined, signal: AbortSignal): Promise<void>
}

interface Mark {
  tenant: string
  position: string
}

const markKey = ({ tenant, position }: Mark): string => JSON.stringify([tenant, position])

/** `collection` holds the copies; its field `position` tells how far they had come before this process began. */
export function createFollowed<T>(deps: {
  documents: Pick<Documents, 'find'>
  timers: Pick<Timers, 'sleep'>
  collection: Collection<T>
}): Followed {
  const reached = new Map<string, string>()
  const underWay = new Map<string, Mark>()
  const waiting = new Set<Mark & { proceed: AbortController }>()

  const isReached = ({ tenant, position }: Mark): boolean => {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(known, position) < 0) return false
    return ![...underWay.values()].some(
      (mark) => mark.tenant === tenant && comparePositions(mark.position, position) <= 0,
    )
  }
  const advance = ({ tenant, position }: Mark) => {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
  }
  const tellWaiting = () => {
    for (const waiter of waiting) {
      if (isReached(waiter)) waiter.proceed.abort()
    }
  }
  const readBack = async (tenant: string) => {
    const newestFirst = { sort: [{ field: 'position', direction: 'desc' as const }], size: 1 }
    const [newest] = (await deps.documents.find(deps.collection, tenant, newestFirst)).documents
    const position = newest === undefined ? undefined : deps.collection.fields.position?.of(newest)
    if (typeof position === 'string') advance({ tenant, position })
  }

  return {
    follow: async (tenant, position, work) => {
      const mark = { tenant, position }
      underWay.set(markKey(mark), mark)
      // A failure leaves the mark: the bus brings the message again.
      await work()
      advance(mark)
      underWay.delete(markKey(mark))
      tellWaiting()
    },
    reach: async (tenant, position, signal) => {
      if (position === undefined || isReached({ tenant, position })) return
      const proceed = new AbortController()
      const waiter = { tenant, position, proceed }
      waiting.add(waiter)
      try {
        await readBack(tenant)
        tellWaiting()
        await deps.timers.sleep(patienceMs, AbortSignal.any([proceed.signal, signal]))
      } finally {
        waiting.delete(waiter)
      }
    },
  }
}

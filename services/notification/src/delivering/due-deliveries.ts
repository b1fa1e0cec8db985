import type { Documents } from '@assay/documents'
import { deliveries, type StoredDelivery } from '../delivery/aggregate.ts'

const pageSize = 200
/** Maximum number of pages that are read to find lanes that do not wait for a retry. */
const maxPages = 50

/**
 * The deliveries of a channel that can be sent now, by lane, in order. `nextAt`: when the next retry is due (ISO 8601 UTC);
 * null if none waits.
 */
export interface Due {
  lanes: readonly (readonly StoredDelivery[])[]
  nextAt: string | null
}

/** `at`: ISO 8601 UTC. While a delivery that nobody has waits for its retry, its whole lane waits. */
export async function dueDeliveries(
  documents: Pick<Documents, 'find'>,
  { tenant, channelId, at }: { tenant: string; channelId: number; at: string },
): Promise<Due> {
  const page = (status: StoredDelivery['status'], number: number) =>
    documents.find(deliveries, tenant, {
      where: [
        { field: 'channelId', is: channelId },
        { field: 'status', is: status },
      ],
      sort: [{ field: 'order', direction: 'asc' }],
      page: number,
      size: pageSize,
    })
  const retries: StoredDelivery[] = []
  for (let number = 0; ; number += 1) {
    const { documents: found } = await page('RETRYING', number)
    retries.push(...found)
    if (found.length < pageSize) break
  }
  const waiting = retries.filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt > at)
  // A mail that some of its addresses have does not hold back the next one.
  const blocked = new Set(waiting.filter(({ taken }) => taken === undefined).map(({ lane }) => lane))
  const found = retries.filter((delivery) => !waiting.includes(delivery) && !blocked.has(delivery.lane))
  for (let number = 0; found.length < pageSize && number < maxPages; number += 1) {
    const { documents: pending } = await page('PENDING', number)
    found.push(...pending.filter(({ lane }) => !blocked.has(lane)))
    if (pending.length < pageSize) break
  }
  const inOrder = found.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
  const nextAt = waiting.map(({ nextAttemptAt }) => nextAttemptAt ?? at).sort()[0] ?? null
  return { lanes: [...Map.groupBy(inOrder, ({ lane }) => lane).values()], nextAt }
}

/** The deliveries of a channel in these states, in pages. The caller must change the state of each, or the same page returns. */
export async function* eachDelivery(
  documents: Pick<Documents, 'find'>,
  { tenant, channelId }: { tenant: string; channelId: number },
  which: 'open' | 'parkedByPause',
): AsyncGenerator<StoredDelivery[]> {
  const states: readonly StoredDelivery['status'][] = which === 'open' ? ['PENDING', 'RETRYING'] : ['PARKED']
  for (const status of states) {
    for (;;) {
      const found = await documents.find(deliveries, tenant, {
        where: [
          { field: 'channelId', is: channelId },
          which === 'open' ? { field: 'status', is: status } : { field: 'parkedByPause', is: true },
        ],
        sort: [{ field: 'order', direction: 'asc' }],
        size: pageSize,
      })
      if (found.documents.length > 0) yield found.documents
      if (found.documents.length < pageSize) break
    }
  }
}

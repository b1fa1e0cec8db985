import { internalTopics, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import { done, type FedCopies, type MessageBus, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { samplingTables, tableCopyPut } from './tables.ts'

/** Keeps the copies of tables. A copy takes only a higher revision; what cannot be read is parked. */
export function feedCopies(deps: { bus: MessageBus; documents: Documents; tables: Followed }): Promise<Subscription> {
  return deps.bus.subscribe({
    topics: [internalTopics.tables],
    group: 'sampling',
    handle: async ({ message: { tenant, position, data } }) => {
      const parsed = tableMessage.safeParse(data)
      if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
      const put = tableCopyPut(tenant, parsed.data, position)
      await deps.tables.follow(tenant, position, () => deps.documents.put([put]))
      return done
    },
  })
}

/** What a rebuild reads again from the bus. */
export const samplingCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: samplingTables.name,
    topic: internalTopics.tables,
    putOf({ tenant, position, data }) {
      const parsed = tableMessage.safeParse(data)
      return parsed.success ? tableCopyPut(tenant, parsed.data, position) : undefined
    },
  },
]

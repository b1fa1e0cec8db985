import { internalTopics, policyMessage, type WatchMessage, watchMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { copiesOf, type FedCopies, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import { z } from 'zod'
import { policyUsePut, policyUses } from '../policy-uses/policy-uses.ts'

const watchCopy = z.object({ assetId: z.int(), user: z.string(), position: z.string() })
/** Who watches what, from the last message of the notification service; `position` is a position in its log. */
export type WatchCopy = z.infer<typeof watchCopy>

/** By the id of the watch, one for each that holds. */
export const watchCopies = defineCollection<WatchCopy>({
  name: 'catalog_watches',
  version: 1,
  idType: 'integer',
  schema: watchCopy,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId, alone: false },
    user: { type: 'text', of: ({ user }) => user },
    position: { type: 'text', of: ({ position }) => position },
  },
})

/** The copy that a message makes. Pure. */
export function watchCopyPut(tenant: string, watch: WatchMessage, position: string): DocumentPut {
  const { revision, watchId, assetId, user, watching } = watch
  return documentPut(watchCopies, tenant, watchId, watching ? { assetId, user, position } : null, {
    revision,
    position,
  })
}

/** Keeps the copies. What cannot be read is parked. */
export function feedWatches(deps: {
  bus: MessageBus
  documents: Documents
  readYourWrites: ReadYourWrites
}): Promise<Subscription> {
  const handle = taking(watchMessage, (watch, { tenant, position }) =>
    deps.readYourWrites.follow(tenant, position, () => deps.documents.put([watchCopyPut(tenant, watch, position)])),
  )
  return deps.bus.subscribe({ topics: [internalTopics.watches], group: 'catalog', handle })
}

/** What a rebuild reads again from the bus. */
export const catalogCopies: readonly FedCopies<DocumentPut>[] = [
  copiesOf({ collection: watchCopies, topic: internalTopics.watches, schema: watchMessage, putOf: watchCopyPut }),
  copiesOf({ collection: policyUses, topic: internalTopics.policies, schema: policyMessage, putOf: policyUsePut }),
]

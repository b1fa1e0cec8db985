import { internalTopics, policyMessage, type WatchMessage, watchMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import type { FedCopies, Message, MessageBus, Outcome, Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { policyUsePut, policyUses } from '../policy-uses/policy-uses.ts'

const watchCopy = z.object({ assetId: z.int(), user: z.string(), position: z.string() })
/** Who watches what, as the notification service told of it last; `position` is that of its log. */
export type WatchCopy = z.infer<typeof watchCopy>

/** By the id of the watch, one for each that holds. */
export const watchCopies = defineCollection<WatchCopy>({
  name: 'catalog_watches',
  version: 1,
  idType: 'integer',
  schema: watchCopy,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
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
  followed: Followed
}): Promise<Subscription> {
  async function handle({ message }: { message: Message }): Promise<Outcome> {
    const parsed = watchMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    const put = watchCopyPut(tenant, parsed.data, position)
    await deps.followed.follow(tenant, position, () => deps.documents.put([put]))
    return { kind: 'done' }
  }
  return deps.bus.subscribe({ topics: [internalTopics.watches], group: 'catalog', handle })
}

/** What a rebuild reads again from the bus. */
export const catalogCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: watchCopies.name,
    topic: internalTopics.watches,
    putOf({ tenant, position, data }) {
      const parsed = watchMessage.safeParse(data)
      return parsed.success ? watchCopyPut(tenant, parsed.data, position) : undefined
    },
  },
  {
    collection: policyUses.name,
    topic: internalTopics.policies,
    putOf({ tenant, position, data }) {
      const parsed = policyMessage.safeParse(data)
      return parsed.success ? policyUsePut(tenant, parsed.data, position) : undefined
    },
  },
]

import type { WatchMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const watchCopy = z.object({ assetId: z.int(), user: z.string(), position: z.string() })
/** Who watches what, from the latest message of the notification service. `position`: its position in that log. */
export type WatchCopy = z.infer<typeof watchCopy>

/** By the id of the watch, one per active watch. */
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

/** The document that a message puts. Pure. */
export function watchCopyPut(tenant: string, watch: WatchMessage, position: string): DocumentPut {
  const { revision, watchId, assetId, user, watching } = watch
  return documentPut(watchCopies, tenant, watchId, watching ? { assetId, user, position } : null, {
    revision,
    position,
  })
}

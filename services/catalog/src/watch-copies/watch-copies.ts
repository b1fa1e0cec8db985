import type { WatchMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const watchCopy = z.object({ assetId: z.int(), user: z.string(), watching: z.boolean() })
/** Who watches what, from the latest message of the notification service. */
export type WatchCopy = z.infer<typeof watchCopy>

/** By the id of the watch. An ended watch stays, so that requests know that its end has arrived. */
export const watchCopies = defineCollection<WatchCopy>({
  name: 'catalog_watches',
  version: 2,
  idType: 'integer',
  schema: watchCopy,
  fields: {
    /** The watching user. */
    user: { type: 'text', of: ({ user, watching }) => (watching ? user : null) },
    watching: { type: 'boolean', of: ({ watching }) => watching },
  },
})

/** The document that a message puts. Pure. */
export function watchCopyPut(tenant: string, watch: WatchMessage, position: string): DocumentPut {
  const { revision, watchId, assetId, user, watching } = watch
  return documentPut(watchCopies, tenant, watchId, { assetId, user, watching }, { revision, position })
}

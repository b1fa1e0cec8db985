import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const folderCopy = z.object({ assetId: z.int(), uid: z.string(), position: z.string() })
/** A folder, a database or a schema: no table, so that only the event of its discovery tells of it. */
export type FolderCopy = z.infer<typeof folderCopy>

export const notificationFolders = defineCollection<FolderCopy>({
  name: 'notification_folders',
  version: 1,
  idType: 'integer',
  schema: folderCopy,
  fields: {
    uid: { type: 'text', of: ({ uid }) => uid },
    position: { type: 'text', of: ({ position }) => position },
  },
})

const discovered = z.object({
  type: z.literal('io.assay.catalog.AssetDiscovered'),
  data: z.object({ assetId: z.int(), uid: z.string(), assetType: z.enum(['DIRECTORY', 'DATABASE', 'SCHEMA']) }),
})

/** The copy that a public event makes, when it tells of a folder. Pure. */
export function folderCopyPut(tenant: string, event: unknown, position: string): DocumentPut | undefined {
  const parsed = discovered.safeParse(event)
  if (!parsed.success) return undefined
  const { assetId, uid } = parsed.data.data
  return documentPut(notificationFolders, tenant, assetId, { assetId, uid, position }, { revision: 0, position })
}

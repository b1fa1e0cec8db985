import { type ContainerMessage, containerMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const folderCopy = z.object({ folder: containerMessage, position: z.string() })
/** A folder, a database or a schema, from the catalog's last message about it; `position` is a position in its log. */
export type FolderCopy = z.infer<typeof folderCopy>

export const notificationFolders = defineCollection<FolderCopy>({
  name: 'notification_folders',
  version: 2,
  idType: 'integer',
  schema: folderCopy,
  fields: {
    uid: { type: 'text', of: ({ folder }) => folder.uid },
    position: { type: 'text', of: ({ position }) => position },
  },
})

/** The copy that a message makes. `position`: where the catalog's log has the state in the message. Pure. */
export function folderCopyPut(tenant: string, folder: ContainerMessage, position: string): DocumentPut {
  const { assetId, revision } = folder
  return documentPut(notificationFolders, tenant, assetId, { folder, position }, { revision, position })
}

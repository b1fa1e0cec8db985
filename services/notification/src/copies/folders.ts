import { type ContainerMessage, containerMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const folderCopy = z.object({ folder: containerMessage })
/** A folder, a database or a schema, from the catalog's latest message about it. */
export type FolderCopy = z.infer<typeof folderCopy>

export const notificationFolders = defineCollection<FolderCopy>({
  name: 'notification_folders',
  version: 4,
  idType: 'integer',
  schema: folderCopy,
  fields: {
    path: { type: 'text', of: ({ folder }) => JSON.stringify(folder.path) },
    uid: { type: 'text', of: ({ folder }) => folder.uid },
  },
})

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function folderCopyPut(tenant: string, folder: ContainerMessage, position: string): DocumentPut {
  const { assetId, revision } = folder
  return documentPut(notificationFolders, tenant, assetId, { folder }, { revision, position })
}

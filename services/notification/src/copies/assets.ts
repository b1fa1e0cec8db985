import { columnRangeFields, tableWithColumn } from '@assay/catalog-copies'
import { shortAssetType, type TableMessage, unnumbered } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import { type FolderCopy, notificationFolders } from './folders.ts'

const assetCopy = z.object({
  assetId: z.int(),
  uid: z.string(),
  name: z.string(),
  columns: z.array(z.object({ id: z.int(), uid: z.string(), name: z.string() })),
  assetType: shortAssetType.nullable(),
  columnType: shortAssetType.nullable(),
  /** Names from the assembly down; null if they were not published. */
  path: z.array(z.string()).nullable(),
  assemblyId: z.int(),
  isDeleted: z.boolean(),
})
/** Names, UIDs and ids of a table and its columns, from the catalog's latest message. */
export type AssetCopy = z.infer<typeof assetCopy>

export const columnIds = ({ columns }: AssetCopy) => columns.map(({ id }) => id)

export const notificationAssets = defineCollection<AssetCopy>({
  name: 'notification_assets',
  version: 6,
  idType: 'integer',
  schema: assetCopy,
  fields: {
    unnumbered: { type: 'text', of: ({ uid }) => unnumbered(uid) },
    ...columnRangeFields<AssetCopy>(columnIds),
    /** The first name of its assembly. */
    root: { type: 'text', of: ({ path }) => path?.[0] ?? null },
  },
})

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function assetCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  const { assetId, uid, name, assetType = null, columnType = null, isDeleted, revision } = table
  const { path = null, assemblyId } = table
  const columns = table.columns.map(({ id, uid: columnUid, name: column }) => ({ id, uid: columnUid, name: column }))
  const copy: AssetCopy = { assetId, uid, name, columns, assetType, columnType, path, assemblyId, isDeleted }
  return documentPut(notificationAssets, tenant, assetId, copy, { revision, position })
}

const candidatesAtOnce = 50
/** Maximum number of dots in a UID after which a column's name could begin. */
const maxDots = 50

/** Assets known to this service: tables, views, files, their columns, and folders. */
export interface Assets {
  exists(tenant: string, assetId: number): Promise<boolean>
  /** The id of the table, column or folder with this UID. */
  idOf(tenant: string, uid: string): Promise<number | undefined>
}

export function createAssets(documents: Documents): Assets {
  async function folderWithUid(tenant: string, uid: string): Promise<FolderCopy | undefined> {
    const query = { where: [{ field: 'uid', is: uid }], size: 1 }
    return (await documents.find(notificationFolders, tenant, query)).documents[0]
  }

  return {
    async exists(tenant, assetId) {
      if (await documents.get(notificationAssets, tenant, assetId)) return true
      if (await documents.get(notificationFolders, tenant, assetId)) return true
      return (await tableWithColumn(documents, notificationAssets, tenant, assetId, columnIds)) !== undefined
    },
    async idOf(tenant, uid) {
      const dots = [...uid.matchAll(/\./g)].map(({ index }) => index).slice(-maxDots)
      // A column's UID begins with its table's UID, or with that UID without its number.
      const tableUids = [uid, ...dots.map((dot) => uid.slice(0, dot))]
      const where = [{ field: 'unnumbered', in: [...new Set([...tableUids, ...tableUids.map(unnumbered)])] }]
      for (let page = 0; ; page += 1) {
        const found = await documents.find(notificationAssets, tenant, { where, page, size: candidatesAtOnce })
        for (const table of found.documents) {
          if (table.uid === uid) return table.assetId
          const column = table.columns.find((each) => each.uid === uid)
          if (column) return column.id
        }
        if (found.documents.length < candidatesAtOnce) break
      }
      return (await folderWithUid(tenant, uid))?.folder.assetId
    },
  }
}

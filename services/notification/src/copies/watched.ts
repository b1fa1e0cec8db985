import { tableWithColumn } from '@assay/catalog-copies'
import type { WatchedAsset } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type AssetCopy, columnIds, notificationAssets } from './assets.ts'
import { type FolderCopy, notificationFolders } from './folders.ts'

function tableRecord({ assetId: id, uid, name, assetType, isDeleted }: AssetCopy): WatchedAsset | null {
  return isDeleted ? null : { id, uid, name, assetType }
}

function folderRecord({ folder }: FolderCopy): WatchedAsset | null {
  const { assetId: id, uid, path, isDeleted } = folder
  return isDeleted ? null : { id, uid, name: path.at(-1) ?? uid, assetType: folder.assetType ?? null }
}

function columnRecord({ columns, columnType: assetType, isDeleted }: AssetCopy, id: number): WatchedAsset | null {
  const column = isDeleted ? undefined : columns.find((each) => each.id === id)
  return column === undefined ? null : { id, uid: column.uid, name: column.name, assetType }
}

/** Assets of a page by their ids, at most 1,000: tables, folders and columns. One that is deleted is null, or left out. */
export async function watchedAssets(
  documents: Documents,
  tenant: string,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, WatchedAsset | null>> {
  if (assetIds.length === 0) return new Map()
  const query = { where: [{ field: 'id', in: assetIds }], size: assetIds.length }
  const tables = await documents.find(notificationAssets, tenant, query)
  const folders = await documents.find(notificationFolders, tenant, query)
  const found = new Map<number, WatchedAsset | null>([
    ...tables.documents.map((table) => [table.assetId, tableRecord(table)] as const),
    ...folders.documents.map((copy) => [copy.folder.assetId, folderRecord(copy)] as const),
  ])
  for (const id of assetIds) {
    if (found.has(id)) continue
    const table = await tableWithColumn(documents, notificationAssets, tenant, id, columnIds)
    if (table !== undefined) found.set(id, columnRecord(table, id))
  }
  return found
}

import { setImmediate } from 'node:timers/promises'
import { tablesWithColumns } from '@assay/catalog-copies'
import type { WatchedAsset } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type AssetCopy, columnIds, notificationAssets } from './assets.ts'
import { type FolderCopy, notificationFolders } from './folders.ts'

/** Maximum number of documents per query: documents of wide tables are large. */
const atOnce = 100

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

/** Assets by id, at most 1,000: tables, folders and columns. A deleted one is null or missing. */
export async function watchedAssets(
  documents: Documents,
  tenant: string,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, WatchedAsset | null>> {
  const found = new Map<number, WatchedAsset | null>()
  for (let from = 0; from < assetIds.length; from += atOnce) {
    const some = assetIds.slice(from, from + atOnce)
    const query = { where: [{ field: 'id', in: some }], size: some.length }
    const [tables, folders] = await Promise.all([
      documents.find(notificationAssets, tenant, query),
      documents.find(notificationFolders, tenant, query),
    ])
    for (const table of tables.documents) found.set(table.assetId, tableRecord(table))
    for (const copy of folders.documents) found.set(copy.folder.assetId, folderRecord(copy))
    // An in-process store never yields to the event loop.
    await setImmediate()
  }
  const others = assetIds.filter((id) => !found.has(id)).sort((a, b) => a - b)
  for (let from = 0; from < others.length; from += atOnce) {
    const some = others.slice(from, from + atOnce)
    const tables = await tablesWithColumns(documents, notificationAssets, tenant, some, columnIds)
    for (const [id, table] of tables) found.set(id, columnRecord(table, id))
  }
  return found
}

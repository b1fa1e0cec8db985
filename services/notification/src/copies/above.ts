import { createTagReader, tableWithColumn } from '@assay/catalog-copies'
import type { Documents } from '@assay/documents'
import { type AssetCopy, columnIds, notificationAssets } from './assets.ts'
import { notificationFolders } from './folders.ts'
import { notificationTags } from './targets.ts'

/** The ancestors of an asset, the nearest first. */
export interface Above {
  /** The table of a column, then folders, schemas and databases. */
  assetIds: readonly number[]
  assemblyId: number | undefined
  tagIds: readonly number[]
}

/**
 * The assets, the assembly and the tags whose watches cover an asset. `newPath`: its names from the assembly down, if the
 * message that adds it to the local read model may arrive later.
 */
export async function aboveOf(
  documents: Documents,
  tenant: string,
  assetId: number,
  newPath: readonly string[] = [],
): Promise<Above> {
  const table = (await documents.get(notificationAssets, tenant, assetId))?.document
  const folder = table ? undefined : (await documents.get(notificationFolders, tenant, assetId))?.document.folder
  const ofColumn =
    table || folder ? undefined : await tableWithColumn(documents, notificationAssets, tenant, assetId, columnIds)
  const path = table?.path ?? folder?.path ?? ofColumn?.path ?? newPath
  const [folders, assemblyId, tagIds] = await Promise.all([
    foldersAbove(documents, tenant, path, ofColumn !== undefined),
    assemblyOf(documents, tenant, table ?? ofColumn, path[0]),
    tagsOf(documents, tenant, assetId, ofColumn?.assetId),
  ])
  return { assetIds: [...(ofColumn ? [ofColumn.assetId] : []), ...folders], assemblyId, tagIds }
}

async function foldersAbove(documents: Documents, tenant: string, path: readonly string[], isOfColumn: boolean) {
  const parents = path.slice(0, isOfColumn ? undefined : -1).map((_, n) => JSON.stringify(path.slice(0, n + 1)))
  if (parents.length === 0) return []
  const where = [{ field: 'path', in: parents }]
  const { documents: found } = await documents.find(notificationFolders, tenant, { where, size: 100 })
  return found.toSorted((a, b) => b.folder.path.length - a.folder.path.length).map(({ folder: { assetId } }) => assetId)
}

/** Messages about folders do not name the assembly, but those about its tables do. */
async function assemblyOf(
  documents: Documents,
  tenant: string,
  table: AssetCopy | undefined,
  root: string | undefined,
): Promise<number | undefined> {
  if (table !== undefined || root === undefined) return table?.assemblyId
  const where = [{ field: 'root', is: root }]
  return (await documents.find(notificationAssets, tenant, { where, size: 1 })).documents[0]?.assemblyId
}

/** The tags of the asset, and of its table if it is a column. */
async function tagsOf(documents: Documents, tenant: string, assetId: number, tableId: number | undefined) {
  const carried = await createTagReader(documents, tenant, notificationTags).carried(tableId ?? assetId)
  return carried.filter((tag) => tag.assetId === assetId || tag.assetId === tableId).flatMap(({ tagIds }) => tagIds)
}

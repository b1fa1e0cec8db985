import { createTagReader, tableWithColumn } from '@assay/catalog-copies'
import type { Documents } from '@assay/documents'
import { notificationAssetLabels } from '../copies/asset-labels.ts'
import { columnIds, notificationAssets } from '../copies/assets.ts'
import { notificationFolders } from '../copies/folders.ts'
import { notificationAssemblies, notificationTags } from '../copies/targets.ts'
import type { Covering } from '../triggers/covering.ts'
import type { CreatedAsset } from '../triggers/trigger.ts'
import type { SearchFacts } from '../watch/search.ts'

/** What searches know of an asset and of each asset that it lies below. */
export async function searchFactsOf(
  documents: Documents,
  tenant: string,
  { assetIds, assemblyId, created, tag }: Covering,
): Promise<SearchFacts[]> {
  const assembly =
    assemblyId === undefined ? undefined : await documents.get(notificationAssemblies, tenant, assemblyId)
  const of = { assemblyId, sourceTypeId: assembly?.document.sourceTypeId ?? created?.sourceTypeId }
  const tags = createTagReader(documents, tenant, notificationTags)
  const where = [{ field: 'id', in: assetIds }]
  const labelled = await documents.find(notificationAssetLabels, tenant, { where, size: assetIds.length })
  const labelsOf = new Map(labelled.documents.map(({ assetId, labels }) => [assetId, labels]))
  const facts: SearchFacts[] = []
  for (const [at, id] of assetIds.entries()) {
    const named = (await namedOf(documents, tenant, id)) ?? (created?.assetId === id ? newlyNamed(created) : undefined)
    if (named === undefined) continue
    const { tableId, ...about } = named
    const labels = (labelsOf.get(id) ?? []).map(({ key, value }) => `${key}:${value}`)
    const carried = (await tags.carried(tableId)).filter(({ assetId }) => assetId === id)
    const changed = tag !== undefined && at === 0 ? [tag.tagId] : []
    const tagIds = [...carried.flatMap((each) => each.tagIds), ...changed]
    facts.push({ assetId: id, ...about, ...of, parentId: assetIds[at + 1], tagIds, labels })
  }
  return facts
}

/** A new asset whose message has not arrived yet. */
const newlyNamed = ({ assetId: tableId, name, uid, assetTypeId }: CreatedAsset) => ({ name, uid, assetTypeId, tableId })

/** The name and the type of a table, folder or column. */
async function namedOf(documents: Documents, tenant: string, id: number) {
  const table = (await documents.get(notificationAssets, tenant, id))?.document
  if (table !== undefined) return { name: table.name, uid: table.uid, assetTypeId: table.assetType?.id, tableId: id }
  const folder = (await documents.get(notificationFolders, tenant, id))?.document.folder
  if (folder !== undefined)
    return { name: folder.path.at(-1) ?? '', uid: folder.uid, assetTypeId: folder.assetType?.id, tableId: id }
  const parent = await tableWithColumn(documents, notificationAssets, tenant, id, columnIds)
  const column = parent?.columns.find((each) => each.id === id)
  return (
    parent &&
    column && { name: column.name, uid: column.uid, assetTypeId: parent.columnType?.id, tableId: parent.assetId }
  )
}

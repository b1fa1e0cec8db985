import type { Condition, Documents } from '@assay/documents'
import { type AssetDocument, assets } from '../asset/collections.ts'
import { assetLabels } from '../asset-labels/aggregate.ts'
import { assetTags } from '../asset-tag/aggregate.ts'
import { tags } from '../tag/aggregate.ts'
import { type AssetTypeName, assetTypeNamed, assetTypes } from '../types/asset-types.ts'
import { watchCopies } from '../watch-copies/watch-copies.ts'

/** Maximum assets selected by a tag, a label or a watch. */
const maxChosen = 10_000
const page = 1_000

const idsOf = (types: readonly { id: number }[]) => types.map(({ id }) => id)

/** Types of containers, which do not reveal the type of the source. */
const containerTypes: readonly AssetTypeName[] = [
  'DIRECTORY',
  'SCHEMA',
  'DATABASE',
  'BUCKET',
  'CATALOG',
  'PROJECT',
  'BIG_QUERY_DATASET',
  'HBASE_NAMESPACE',
  'KEY_SPACE',
  'ICEBERG_NAMESPACE',
]
const containerTypeIds = new Set(idsOf(containerTypes.map(assetTypeNamed)))

/** Conditions on the kinds of assets. */
export function byKind(asked: {
  profileableAssets?: boolean | undefined
  forLineage?: boolean | undefined
  excludeLeafLevelAssetTypes?: boolean | undefined
}): Condition[] {
  const { profileableAssets, forLineage, excludeLeafLevelAssetTypes } = asked
  if (profileableAssets === undefined && forLineage !== true && excludeLeafLevelAssetTypes !== true) return []
  const kept = assetTypes.filter((type) => {
    // Assets that can be profiled but not watched by policies are parts of a row: a column, a field.
    const isLeaf = type.canProfile && !type.canMonitor
    if (profileableAssets !== undefined && type.canProfile !== profileableAssets) return false
    if (forLineage === true && containerTypeIds.has(type.id)) return false
    return !(excludeLeafLevelAssetTypes === true && isLeaf)
  })
  return [{ field: 'assetTypeId', in: idsOf(kept) }]
}

async function all<T>(read: (page: number) => Promise<{ documents: T[] }>): Promise<T[]> {
  const found: T[] = []
  for (let at = 0; found.length < maxChosen; at += 1) {
    const { documents } = await read(at)
    found.push(...documents)
    if (documents.length < page) break
  }
  return found
}

/** Assets with one of the tags, including tags merged into them. At most 10,000. */
export async function taggedWith(documents: Documents, tenant: string, tagIds: readonly number[]): Promise<number[]> {
  const merged = await documents.find(tags, tenant, { where: [{ field: 'mergedIntoId', in: tagIds }], size: page })
  const wanted = [...tagIds, ...merged.documents.map(({ id }) => id)]
  const where = [{ field: 'tagId', in: wanted }]
  const found = await all((at) => documents.find(assetTags, tenant, { where, page: at, size: page }))
  return found.map(({ assetId }) => assetId)
}

/** Assets with one of the labels, each `key:value`. At most 10,000. */
export async function labelledWith(documents: Documents, tenant: string, pairs: readonly string[]): Promise<number[]> {
  const where = [{ field: 'pair', in: pairs }]
  const found = await all((at) => documents.find(assetLabels, tenant, { where, page: at, size: page }))
  return found.map(({ assetId }) => assetId)
}

/** The assets that a user watches. At most 10,000. */
export async function watchedBy(documents: Documents, tenant: string, user: string): Promise<number[]> {
  const where = [{ field: 'user', is: user }]
  const found = await all((at) => documents.find(watchCopies, tenant, { where, page: at, size: page }))
  return found.map(({ assetId }) => assetId)
}

const deepest = 50

/** All ancestors of the assets, each once, by id. */
export async function ancestorsOf(
  documents: Documents,
  tenant: string,
  of: readonly AssetDocument[],
): Promise<AssetDocument[]> {
  const known = new Map<number, AssetDocument>()
  let wanted = new Set(of.flatMap(({ parentId }) => (parentId === null ? [] : [parentId])))
  for (let depth = 0; wanted.size > 0 && depth < deepest; depth += 1) {
    const found = await documents.find(assets, tenant, { where: [{ field: 'id', in: [...wanted] }], size: wanted.size })
    for (const asset of found.documents) known.set(asset.id, asset)
    const next = found.documents.flatMap(({ parentId }) => (parentId === null || known.has(parentId) ? [] : [parentId]))
    wanted = new Set(next)
  }
  return [...known.values()].sort((a, b) => a.id - b.id)
}

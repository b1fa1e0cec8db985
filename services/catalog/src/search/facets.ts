import type { AssetFacets } from '@assay/contracts'
import type { Condition, Documents, SearchFound } from '@assay/documents'
import { assemblies } from '../assembly/aggregate.ts'
import type { AssetDocument } from '../asset/collections.ts'
import { assetLabels } from '../asset-labels/aggregate.ts'
import { assetTags } from '../asset-tag/aggregate.ts'
import { tagNameOf } from '../tag/tag.ts'
import type { Tags } from '../tagging/tags.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import { sourceTypeOf } from '../types/source-types.ts'

/** Maximum tags and labels of assets that are read. */
const most = 10_000
const page = 1_000
/** Maximum values per facet. */
const maxValues = 100

export const facetFields = ['assetTypeId', 'sourceTypeId', 'assemblyId'] as const

type Counted = readonly { value: unknown; count: number }[]

async function all<T>(read: (page: number) => Promise<{ documents: T[] }>): Promise<T[]> {
  const found: T[] = []
  for (let at = 0; found.length < most; at += 1) {
    const { documents } = await read(at)
    found.push(...documents)
    if (documents.length < page) break
  }
  return found
}

function named(counted: Counted | undefined, name: (id: number) => string | undefined) {
  return (counted ?? []).slice(0, maxValues).flatMap(({ value, count }) => {
    const text = typeof value === 'number' ? name(value) : undefined
    return typeof value === 'number' && text !== undefined ? [{ id: value, name: text, count }] : []
  })
}

/** Counts facets over the assets in `found`. `chosen`: the ids of the found assets that meet a condition. */
export async function facetsOf(
  deps: { documents: Documents; tags: Tags },
  tenant: string,
  found: SearchFound<AssetDocument>,
  chosen: (where: Condition) => Promise<ReadonlySet<number>>,
): Promise<AssetFacets> {
  const { documents, tags } = deps
  const { assetTypeId, sourceTypeId, assemblyId } = found.facets
  const assemblyIds = (assemblyId ?? []).slice(0, maxValues).map(({ value }) => value)
  const sources = await documents.find(assemblies, tenant, {
    where: [{ field: 'id', in: assemblyIds }],
    size: assemblyIds.length,
  })
  const assemblyNames = new Map(sources.documents.map(({ record }) => [record.id, record.name]))
  const tagged = await all((at) => documents.find(assetTags, tenant, { page: at, size: page }))
  const labelled = await all((at) => documents.find(assetLabels, tenant, { page: at, size: page }))
  const marked = [...new Set([...tagged, ...labelled].map(({ assetId }) => assetId))].slice(0, most)
  const among = marked.length === 0 ? new Set<number>() : await chosen({ field: 'id', in: marked })

  const resolved = await tags.resolve(tenant, [...new Set(tagged.map(({ tagId }) => tagId))])
  const tagCounts = new Map<number, { name: string; assets: Set<number> }>()
  for (const { assetId, tagId } of tagged) {
    const tag = resolved.get(tagId)
    if (tag === undefined || !among.has(assetId)) continue
    const counted = tagCounts.get(tag.id) ?? { name: tagNameOf(tag), assets: new Set() }
    counted.assets.add(assetId)
    tagCounts.set(tag.id, counted)
  }
  const labelCounts = new Map<string, { key: string; value: string; count: number }>()
  for (const { assetId, key, value } of labelled) {
    if (!among.has(assetId)) continue
    const pair = JSON.stringify([key, value])
    labelCounts.set(pair, { key, value, count: (labelCounts.get(pair)?.count ?? 0) + 1 })
  }
  const byCount = (a: { count: number }, b: { count: number }) => b.count - a.count

  return {
    assetTypes: named(assetTypeId, (id) => assetTypeOf(id).name),
    sourceTypes: named(sourceTypeId, (id) => sourceTypeOf(id).name),
    assemblies: named(assemblyId, (id) => assemblyNames.get(id)),
    tags: [...tagCounts]
      .map(([id, { name, assets }]) => ({ id, name, count: assets.size }))
      .sort((a, b) => byCount(a, b) || a.id - b.id)
      .slice(0, maxValues),
    labels: [...labelCounts.values()]
      .sort((a, b) => byCount(a, b) || (`${a.key}:${a.value}` < `${b.key}:${b.value}` ? -1 : 1))
      .slice(0, maxValues),
    isCapped: found.isFacetCapped || tagged.length >= most || labelled.length >= most,
  }
}

import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id } from '../values/scalars.ts'
import { assetTag, label } from './annotations.ts'
import { assembly, asset } from './asset.ts'

/**
 * `page` is -1 if the answer is not paged. `isCountCapped`: there are more matches than `count`, which is then at least
 * 10,000.
 */
export const searchMeta = pageMeta.extend({ isCountCapped: z.boolean() }).meta({ id: 'SearchMetaData' })

/**
 * An ancestor. `children` is present only with `flattenedParentHierarchy=false`: the ancestors directly inside this
 * one.
 */
export const searchParent = asset
  .extend({
    get children() {
      return z.array(searchParent).optional()
    },
  })
  .meta({ id: 'SearchParent' })

/** `assemblies` and `parents` (all ancestors) of the assets of this page, each once. */
export const assetSearchAnswer = z
  .object({
    data: z.object({ assemblies: z.array(assembly), assets: z.array(asset), parents: z.array(searchParent) }),
    meta: searchMeta,
  })
  .meta({ id: 'AssetSearchResponse' })

const facet = z.object({ id, name: z.string(), count: z.int() })
export const assetFacets = z
  .object({
    assetTypes: z.array(facet),
    sourceTypes: z.array(facet),
    assemblies: z.array(facet),
    tags: z.array(facet),
    labels: z.array(z.object({ key: z.string(), value: z.string(), count: z.int() })),
    /** True if only the first 10,000 matches were counted. */
    isCapped: z.boolean(),
  })
  .meta({ id: 'AssetFacets' })
export type AssetFacets = z.infer<typeof assetFacets>

export const discoveredAsset = z
  .object({ asset, tags: z.array(assetTag), labels: z.array(label) })
  .meta({ id: 'DiscoveredAsset' })

/** `facets` is null if only the count was requested. */
export const discoverAnswer = z
  .object({
    data: z.object({
      assets: z.array(discoveredAsset),
      assemblies: z.array(assembly),
      parents: z.array(asset),
      facets: assetFacets.nullable(),
    }),
    meta: searchMeta,
  })
  .meta({ id: 'DiscoverResponse' })

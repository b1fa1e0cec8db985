import { type QueryOf, searchOperations } from '@assay/contracts'
import { type Condition, type Documents, searchPage } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Route, route, seenOf } from '@assay/service-kit'
import { assemblies } from '../assembly/aggregate.ts'
import { type AssetDocument, assets } from '../asset/collections.ts'
import { assetLabels } from '../asset-labels/aggregate.ts'
import { assetRecords } from '../assets/asset-records.ts'
import { below, nestedParents } from '../assets/hierarchy.ts'
import { assetTagRecord } from '../tagging/tag-records.ts'
import type { Tagging } from '../tagging/tagging.ts'
import type { Tags } from '../tagging/tags.ts'
import { facetFields, facetsOf } from './facets.ts'
import type { Popularity } from './popularity.ts'
import { ancestorsOf, byKind, labelledWith, taggedWith, watchedBy } from './selection.ts'

/** Maximum number of rows of an unpaged answer. */
const unpaged = 1_000

/** Maximum assets of an answer: none if only the count is requested. */
function sizeOf({ page, size }: { page?: number | undefined; size?: number | undefined }): number {
  if (size === 0) return 0
  if (page === undefined) return size ?? unpaged
  return page === -1 ? unpaged : (size ?? 25)
}

type SearchQuery = QueryOf<typeof searchOperations.searchAssets>
type DiscoverQuery = QueryOf<typeof searchOperations.discoverAssets>

const live: Condition = { field: 'isDeleted', is: false }

/**
 * Asset search and discovery. A write puts its documents before it answers, so recent crawls, renames, tags and labels
 * are found immediately. Only watches come from a local read model, for which a request waits.
 */
export function searchRoutes(deps: {
  documents: Documents
  popularity: Popularity
  tags: Tags
  tagging: Tagging
  readYourWrites: ReadYourWrites
}): Route[] {
  const { documents, popularity, tagging, readYourWrites } = deps

  async function searched(asked: SearchQuery, tenant: string): Promise<Condition[]> {
    const { ids, parentHierarchy, includeDeleted } = asked
    return [
      ...(includeDeleted === true ? [] : [live]),
      ...(ids === undefined ? [] : [{ field: 'id', in: ids }]),
      ...byKind(asked),
      ...(parentHierarchy === undefined ? [] : [await below(documents, tenant, parentHierarchy)]),
    ]
  }

  async function discovered(asked: DiscoverQuery, tenant: string, user: string): Promise<Condition[]> {
    const { assembly_ids, asset_type_ids, source_type_ids, parent_ids, tag_ids, labels, watched, includeDeleted } =
      asked
    const among = (field: string, values: readonly number[] | undefined): Condition[] =>
      values === undefined ? [] : [{ field, in: values }]
    const where: Condition[] = [
      ...(includeDeleted === true ? [] : [live]),
      ...among('assemblyId', assembly_ids),
      ...among('assetTypeId', asset_type_ids),
      ...among('sourceTypeId', source_type_ids),
      ...among('parentId', parent_ids),
    ]
    if (tag_ids !== undefined) where.push({ field: 'id', in: await taggedWith(documents, tenant, tag_ids) })
    if (labels !== undefined) where.push({ field: 'id', in: await labelledWith(documents, tenant, labels) })
    if (watched === true) where.push({ field: 'id', in: await watchedBy(documents, tenant, user) })
    return where
  }

  /** The assemblies of the assets, each once, by id. */
  async function sourcesOf(tenant: string, found: readonly AssetDocument[]) {
    const ids = [...new Set(found.map(({ assemblyId }) => assemblyId))]
    if (ids.length === 0) return []
    const answer = await documents.find(assemblies, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })
    return answer.documents.map(({ record }) => record)
  }

  /** Labels of the assets of a page, by asset. */
  async function labelsOf(tenant: string, ids: readonly number[]) {
    const found = new Map<number, { key: string; value: string }[]>()
    for (let page = 0; ids.length > 0; page += 1) {
      const answer = await documents.find(assetLabels, tenant, {
        where: [{ field: 'assetId', in: ids }],
        sort: [
          { field: 'assetId', direction: 'asc' },
          { field: 'index', direction: 'asc' },
        ],
        page,
        size: 1000,
      })
      for (const { assetId, key, value } of answer.documents)
        found.set(assetId, [...(found.get(assetId) ?? []), { key, value }])
      if (answer.documents.length < 1000) break
    }
    return found
  }

  return [
    route(searchOperations.searchAssets, async (call) => {
      const { tenant } = call.identity
      const { name, sortBy, page = -1 } = call.query
      const size = sizeOf(call.query)
      const {
        documents: found,
        count,
        isCountCapped,
      } = await searchPage(documents, call, assets, {
        tenant,
        text: name,
        where: await searched(call.query, tenant),
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page: Math.max(page, 0),
        size,
        ...(name === undefined ? {} : { boosts: await popularity.of(tenant, call.seen.size > 0) }),
      })
      const ancestors = await ancestorsOf(documents, tenant, found)
      const parents = await assetRecords(documents, tenant, ancestors)
      const data = {
        assemblies: await sourcesOf(tenant, found),
        assets: await assetRecords(documents, tenant, found),
        parents: call.query.flattenedParentHierarchy === false ? nestedParents(ancestors, parents) : parents,
      }
      return { body: { data, meta: { count, page, size, isCountCapped } } }
    }),
    route(searchOperations.discoverAssets, async (call) => {
      const { tenant, user } = call.identity
      const { name, sortBy, page, size, watched } = call.query
      if (watched === true) await readYourWrites(seenOf(call, 'notification'))
      const where = await discovered(call.query, tenant, user)
      const text = name === undefined ? {} : { text: name, boosts: await popularity.of(tenant, call.seen.size > 0) }
      const found = await searchPage(documents, call, assets, {
        tenant,
        ...text,
        where,
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
        facets: size === 0 ? [] : facetFields,
      })
      const { documents: hits, count, isCountCapped } = found
      const ids = hits.map(({ id }) => id)
      const labels = await labelsOf(tenant, ids)
      const carried = await Promise.all(ids.map((id) => tagging.of(tenant, id)))
      const records = await assetRecords(documents, tenant, hits)
      const ancestors = call.query.parents === true ? await ancestorsOf(documents, tenant, hits) : []
      const chosen = async (more: Condition) => {
        const { facets } = await searchPage(documents, call, assets, {
          tenant,
          ...text,
          where: [...where, more],
          size: 0,
          facets: ['id'],
        })
        return new Set((facets.id ?? []).flatMap(({ value }) => (typeof value === 'number' ? [value] : [])))
      }
      const data = {
        assets: records.map((asset, at) => ({
          asset,
          tags: (carried[at] ?? []).map(assetTagRecord),
          labels: labels.get(asset.id) ?? [],
        })),
        assemblies: await sourcesOf(tenant, hits),
        parents: await assetRecords(documents, tenant, ancestors),
        facets: size === 0 ? null : await facetsOf(deps, tenant, found, chosen),
      }
      return { body: { data, meta: { count, page, size, isCountCapped } } }
    }),
  ]
}

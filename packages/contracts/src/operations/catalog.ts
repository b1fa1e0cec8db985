import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { pagingQuery } from '../http/paging.ts'
import { assembly, asset, assetMetadata, assetType, childAssetList, sourceType } from '../records/asset.ts'
import {
  assemblyAnswer,
  assemblyList,
  assemblyRequest,
  assemblyTest,
  crawlAnswer,
  crawlList,
} from '../records/crawl.ts'
import { booleanText, idListText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { identifierParams, idParams, none } from './shapes.ts'

const base = '/catalog-server/api'
const assemblySentBack = withFieldRules(assemblyRequest, { sentBack: assembly })

export const createAssembly = operation({
  id: 'createAssembly',
  method: 'POST',
  path: `${base}/assemblies`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_CREATE'],
  summary: 'Creates an assembly (a data source) and starts its first crawl.',
  params: none,
  query: none,
  body: assemblySentBack,
  answer: assemblyAnswer,
  errors: [409],
})
/** Older clients spell one name differently. */
const sourceTypeText = z.string().transform((name) => (name.toUpperCase() === 'ORACL' ? 'ORACLE' : name))
export const listAssemblies = operation({
  id: 'listAssemblies',
  method: 'GET',
  path: `${base}/assemblies`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists assemblies.',
  params: none,
  query: z.object({ ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt']), sourceType: sourceTypeText.optional() }),
  answer: assemblyList,
  errors: [],
})
export const getAssembly = operation({
  id: 'getAssembly',
  method: 'GET',
  path: `${base}/assemblies/{identifier}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads an assembly by id or name; `properties` adds its configuration as properties.',
  params: identifierParams,
  query: z.object({ properties: booleanText.optional() }),
  answer: assemblyAnswer,
  errors: [404],
})
export const updateAssembly = operation({
  id: 'updateAssembly',
  method: 'PUT',
  path: `${base}/assemblies/{id}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_MODIFY'],
  summary: 'Replaces the configuration of an assembly.',
  params: idParams,
  query: none,
  body: assemblySentBack,
  answer: assemblyAnswer,
  errors: [404, 409],
})
export const deleteAssembly = operation({
  id: 'deleteAssembly',
  method: 'DELETE',
  path: `${base}/assemblies/{id}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_MODIFY'],
  summary: 'Deletes an assembly, marks its assets as deleted and disables the policies on them. History stays.',
  params: idParams,
  query: none,
  errors: [404],
})
export const testAssembly = operation({
  id: 'testAssembly',
  method: 'POST',
  path: `${base}/assemblies/test`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_CREATE'],
  summary: 'Opens a source and counts its tables, within 10 seconds, without storing anything.',
  params: none,
  query: none,
  body: assemblySentBack,
  answer: assemblyTest,
  errors: [],
})
export const startCrawl = operation({
  id: 'startCrawl',
  method: 'POST',
  path: `${base}/assemblies/{id}/crawl`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_MODIFY'],
  summary: 'Starts a crawl and returns immediately.',
  params: idParams,
  query: none,
  answer: crawlAnswer,
  errors: [404, 422],
})
export const listCrawls = operation({
  id: 'listCrawls',
  method: 'GET',
  path: `${base}/assemblies/{id}/crawls`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the crawls of an assembly, newest first.',
  params: idParams,
  query: z.object(pagingQuery(['id', 'startedAt'])),
  answer: crawlList,
  errors: [404],
})
export const getCrawl = operation({
  id: 'getCrawl',
  method: 'GET',
  path: `${base}/crawls/{id}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads a crawl with its progress.',
  params: idParams,
  query: none,
  answer: crawlAnswer,
  errors: [404],
})
export const cancelCrawl = operation({
  id: 'cancelCrawl',
  method: 'PUT',
  path: `${base}/crawls/{id}/cancel`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_MODIFY'],
  summary: 'Cancels a running crawl.',
  params: idParams,
  query: none,
  answer: crawlAnswer,
  errors: [404, 422],
})
export const listAssets = operation({
  id: 'listAssets',
  method: 'GET',
  path: `${base}/assets`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists assets: by `ids`, by `uid`, or all.',
  params: none,
  query: z.object({
    ...pagingQuery(['id', 'name', 'uid', 'createdAt', 'updatedAt']),
    ids: idListText.optional(),
    uid: z.string().optional(),
    assembly_ids: idListText.optional(),
    includeDeleted: booleanText.optional(),
  }),
  answer: z.object({ data: z.array(asset), meta: z.object({ count: z.int(), page: z.int(), size: z.int() }) }),
  errors: [],
})
export const getAsset = operation({
  id: 'getAsset',
  method: 'GET',
  path: `${base}/assets/{id}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads an asset.',
  params: idParams,
  query: none,
  answer: z.object({ data: asset }),
  errors: [404],
})
export const getAssetByUid = operation({
  id: 'getAssetByUid',
  method: 'GET',
  path: `${base}/assets/byUid/{uid}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads an asset by its UID.',
  params: z.object({ uid: z.string().min(1) }),
  query: none,
  answer: z.object({ data: asset }),
  errors: [404],
})
export const getChildAssets = operation({
  id: 'getChildAssets',
  method: 'GET',
  path: `${base}/assets/{id}/childAssets`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the immediate children of an asset.',
  params: idParams,
  query: z.object({
    ...pagingQuery(['id', 'name', 'uid', 'updatedAt']),
    inferDataType: booleanText
      .meta({
        description: '`true`: a text column shows the type that all its sampled values have.',
      })
      .optional(),
    includeDeleted: booleanText.optional(),
  }),
  answer: childAssetList,
  errors: [404],
})
export const getAssetMetadata = operation({
  id: 'getAssetMetadata',
  method: 'GET',
  path: `${base}/assets/{id}/metadata`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSET_METADATA_VIEW'],
  summary: 'Reads columns, row count, size and last change of an asset.',
  params: idParams,
  query: none,
  answer: z.object({ data: assetMetadata }),
  errors: [404],
})
export const listAssetTypes = operation({
  id: 'listAssetTypes',
  method: 'GET',
  path: `${base}/asset-types`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists asset types, optionally only those that crawls have found.',
  params: none,
  query: z.object({ onlyCrawledAssetTypes: booleanText.optional() }),
  answer: z.object({ data: z.array(assetType), assetTypes: z.array(assetType) }),
  errors: [],
})
export const listSourceTypes = operation({
  id: 'listSourceTypes',
  method: 'GET',
  path: `${base}/source-types`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists source types. This build cannot open those without a connectionTypeId; available=true omits them.',
  params: none,
  query: z.object({ available: booleanText.optional() }),
  answer: z.object({ data: z.array(sourceType) }),
  errors: [],
})

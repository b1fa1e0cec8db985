import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { pagingQuery } from '../http/paging.ts'
import {
  activityDenied,
  addCommentRequest,
  analyticsPipeline,
  assetActivity,
  assetCommentList,
  assetLabelRequest,
  assetTag,
  assetTagList,
  assetTagRequest,
  connectionTypeList,
  crawlerStarted,
  crawlerStatus,
  customMetadataRequest,
  editCommentRequest,
  historyList,
  incrementalStrategies,
  label,
  tagList,
  threadComment,
  threadCommentList,
  voteRequest,
} from '../records/annotations.ts'
import { assetMetadata } from '../records/asset.ts'
import {
  assetConfigurationAnswer,
  assetConfigurationRequest,
  inferredMetadata,
} from '../records/asset-configuration.ts'
import { idText, plainText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { identifierParams, idParams, none } from './shapes.ts'

const base = '/catalog-server/api'
const asset = `${base}/assets/{id}`
const ofAsset = { service: 'catalog', params: idParams, query: none, errors: [404] } as const
/** A missing asset and a forbidden one are answered with the same 404. */
const hidden = { ...ofAsset, permissions: ['ASSET_VIEW'], denied: activityDenied, deniedStatus: 404 } as const
const commentParams = z.object({ id: idText, commentId: idText })

export const getAssetTags = operation({
  ...ofAsset,
  id: 'getAssetTagsById',
  method: 'GET',
  path: `${asset}/tags`,
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary: 'Lists the tags of an asset.',
  answer: assetTagList,
})
export const addAssetTag = operation({
  ...ofAsset,
  id: 'addAssetTag',
  method: 'POST',
  path: `${asset}/tag`,
  permissions: ['ASSET_VIEW', 'TAGS_CREATE'],
  errors: [404, 422],
  summary:
    'Adds a tag to an asset, by its id, or by its name (created if it is new). Repeating the call returns the existing tag. An asset has at most 1,000 tags.',
  body: assetTagRequest,
  answer: assetTag,
  example: { body: { name: 'pii' } },
})
export const deleteAssetTag = operation({
  ...ofAsset,
  id: 'deleteAssetTag',
  method: 'DELETE',
  path: `${asset}/tag/{tagId}`,
  permissions: ['ASSET_VIEW', 'TAGS_MODIFY'],
  summary:
    'Removes a tag from an asset. Returns true if the asset had the tag, otherwise false. A tag that protects values needs ASSET_PROTECTED_VIEW.',
  params: z.object({ id: idText, tagId: idText }),
  answer: z.boolean(),
})
export const listTagsOfAssets = operation({
  id: 'listTagsOfAssets',
  method: 'GET',
  path: `${base}/assets/tags`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary: 'Lists the tags that assets can have.',
  params: none,
  query: z.object({ ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt']), name: plainText(1000).optional() }),
  answer: tagList,
  errors: [],
})
export const getAssetLabels = operation({
  ...ofAsset,
  id: 'getAssetLabels',
  method: 'GET',
  path: `${asset}/labels`,
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary: 'Lists the labels of an asset.',
  answer: z.array(label),
})
export const updateAssetLabels = operation({
  ...ofAsset,
  id: 'updateAssetLabels',
  method: 'PUT',
  path: `${asset}/labels`,
  permissions: ['ASSET_VIEW', 'TAGS_MODIFY'],
  summary: 'Replaces all labels of an asset. Keys must be unique.',
  body: assetLabelRequest,
  answer: z.array(label),
})
export const getAssetActivity = operation({
  ...hidden,
  id: 'getAssetActivity',
  method: 'GET',
  path: `${asset}/activity`,
  summary: "Counts votes and comments of an asset, and shows the vote of the key's owner.",
  answer: assetActivity,
})
export const getAssetComments = operation({
  ...hidden,
  id: 'getAssetComments',
  method: 'GET',
  path: `${asset}/comments`,
  summary: 'Lists all comments of an asset, oldest first. For pages and threads use comment-threads.',
  answer: assetCommentList,
})
export const listCommentThreads = operation({
  ...hidden,
  id: 'listCommentThreads',
  method: 'GET',
  path: `${asset}/comment-threads`,
  summary: 'Lists the comments of an asset with their ids and the ids that they reply to.',
  query: z.object(pagingQuery(['id', 'createdAt', 'updatedAt'])),
  answer: threadCommentList,
})
export const addAssetComment = operation({
  ...ofAsset,
  id: 'addAssetComment',
  method: 'POST',
  path: `${asset}/comments`,
  permissions: ['ASSET_VIEW', 'ASSET_COMMENT'],
  summary:
    'Adds a comment to an asset, or a reply to another comment. At most 10,000 per asset, and 500 levels of replies.',
  body: addCommentRequest,
  answer: threadComment,
  errors: [404, 422],
})
export const editAssetComment = operation({
  ...ofAsset,
  id: 'editAssetComment',
  method: 'PUT',
  path: `${asset}/comments/{commentId}`,
  permissions: ['ASSET_VIEW', 'ASSET_COMMENT'],
  summary: "Changes a comment: your own, or anybody's if the key has ASSET_CONFIGURATION_MODIFY.",
  params: commentParams,
  body: editCommentRequest,
  answer: threadComment,
  errors: [403, 404],
})
export const deleteAssetComment = operation({
  ...ofAsset,
  id: 'deleteAssetComment',
  method: 'DELETE',
  path: `${asset}/comments/{commentId}`,
  permissions: ['ASSET_VIEW', 'ASSET_COMMENT'],
  summary:
    "Deletes a comment with all replies to it: your own, or anybody's if the key has ASSET_CONFIGURATION_MODIFY. If the deletion is interrupted, repeat the call.",
  params: commentParams,
  errors: [403, 404],
})
export const voteOnAsset = operation({
  ...ofAsset,
  id: 'voteOnAsset',
  method: 'PUT',
  path: `${asset}/vote`,
  permissions: ['ASSET_VIEW'],
  summary: 'Votes an asset up or down, or removes your vote.',
  body: voteRequest,
  answer: assetActivity,
})
export const getAssetConfiguration = operation({
  ...ofAsset,
  id: 'getAssetConfiguration',
  method: 'GET',
  path: `${asset}/config`,
  permissions: ['ASSET_VIEW'],
  summary: 'Reads the settings of an asset.',
  answer: assetConfigurationAnswer,
})
export const updateAssetConfiguration = operation({
  ...ofAsset,
  id: 'updateAssetConfiguration',
  method: 'PUT',
  path: `${asset}/config`,
  permissions: ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY'],
  summary:
    'Changes settings such as owner, description and incremental column. Absent fields stay; an empty text or list clears a field, null clears `sparkResourceConfig` and `markerConfiguration`.',
  body: withFieldRules(assetConfigurationRequest, { sentBack: assetConfigurationAnswer }),
  answer: assetConfigurationAnswer,
})
export const addCustomMetadata = operation({
  ...ofAsset,
  id: 'addCustomMetadata',
  method: 'POST',
  path: `${asset}/metadata/custom`,
  permissions: ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY'],
  summary: 'Adds custom keys to the metadata of an asset; an empty text removes a key.',
  body: customMetadataRequest,
  answer: z.object({ data: assetMetadata }),
})
export const getAssetHistory = operation({
  ...ofAsset,
  id: 'getAssetHistory',
  method: 'GET',
  path: `${asset}/history`,
  permissions: ['ASSET_VIEW'],
  summary:
    'Lists the changes of an asset, newest first, with time and key. Values of UDF variables need USER_DEFINED_FUNCTION_VIEW.',
  query: z.object(pagingQuery(['at'])),
  answer: historyList,
})
export const getIncrementalStrategies = operation({
  ...ofAsset,
  id: 'getIncrementalStrategies',
  method: 'GET',
  path: `${asset}/incremental-strategies`,
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the kinds of marker that can select a part of an asset.',
  answer: incrementalStrategies,
})
export const getInferredMetadata = operation({
  ...ofAsset,
  id: 'getInferredMetadataByAssetId',
  method: 'GET',
  path: `${asset}/reference-assets/inferredMetadata`,
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the columns of a table with the types of their values.',
  answer: inferredMetadata,
})
export const listConnectionTypes = operation({
  id: 'listConnectionTypes',
  method: 'GET',
  path: `${base}/connection-types`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the connection types of assemblies.',
  params: none,
  query: none,
  answer: connectionTypeList,
  errors: [],
})
export const getAnalyticsPipeline = operation({
  id: 'getAnalyticsPipeline',
  method: 'GET',
  path: `${base}/analytics-pipelines/{identifier}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads the data plane that runs policies, by id or name. There is one: `default`, with the id 1.',
  params: identifierParams,
  query: none,
  answer: z.object({ pipeline: analyticsPipeline }),
  errors: [404],
})
export const getCrawlerStatus = operation({
  id: 'getCrawlerStatus',
  method: 'GET',
  path: `${base}/crawler/{assemblyName}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads the state of the last crawl of an assembly. 404 before the first crawl.',
  params: z.object({ assemblyName: z.string().min(1) }),
  query: none,
  answer: crawlerStatus,
  errors: [404],
})
export const startCrawler = operation({
  id: 'startCrawler',
  method: 'POST',
  path: `${base}/crawler/{assemblyName}`,
  service: 'catalog',
  permissions: ['ASSET_VIEW', 'ASSEMBLY_MODIFY'],
  summary: 'Starts a crawl of an assembly by its name; `isSuccess` is false if one is running.',
  params: z.object({ assemblyName: z.string().min(1) }),
  query: none,
  answer: crawlerStarted,
  errors: [404],
})

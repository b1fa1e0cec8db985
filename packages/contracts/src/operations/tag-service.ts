import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import { createTagRequest, mergeTagRequest, tag, tagList, updateTagRequest } from '../records/annotations.ts'
import {
  addTagValuesRequest,
  associateTagsAnswer,
  associateTagsRequest,
  createTagKeyRequest,
  tagDetailList,
  taggableType,
  tagKeyAnswer,
  tagKeyTypes,
  tagPairList,
  tagStatuses,
  tagValuesAnswer,
} from '../records/tag-service.ts'
import { booleanText, idListText, idText, plainText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { enumListText, idParams, none } from './shapes.ts'

const base = '/catalog-server/api'
const service = 'catalog'
const filterText = plainText(1000).optional()

export const listTags = operation({
  id: 'listTags',
  method: 'GET',
  path: `${base}/tags`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary: 'Lists tags; `name` is a part of the name.',
  params: none,
  query: z.object({ ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt']), name: filterText }),
  answer: tagList,
  errors: [],
})
export const createTag = operation({
  id: 'createTag',
  method: 'POST',
  path: `${base}/tags`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_CREATE'],
  summary: 'Creates a tag. Its name is unique.',
  params: none,
  query: none,
  body: createTagRequest,
  answer: tag,
  errors: [409],
})
export const updateTag = operation({
  id: 'updateTag',
  method: 'PUT',
  path: `${base}/tags/{id}`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_MODIFY'],
  summary:
    'Renames a tag, or changes whether it protects values. The change applies to everything with the tag. Lifting the protection needs ASSET_PROTECTED_VIEW.',
  params: idParams,
  query: none,
  body: updateTagRequest,
  answer: tag,
  errors: [404, 409],
})
export const mergeTag = operation({
  id: 'mergeTag',
  method: 'POST',
  path: `${base}/tags/{id}/merge`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_MODIFY'],
  summary:
    'Merges a tag into another one. Everything with this tag gets the other tag, which the answer shows. It protects values if either tag did.',
  params: idParams,
  query: none,
  body: mergeTagRequest,
  answer: tag,
  errors: [404],
})
export const createTagKey = operation({
  id: 'createTagKey',
  method: 'POST',
  path: '/api/tags/v1',
  service,
  permissions: ['ASSET_VIEW', 'TAGS_CREATE'],
  summary: 'Creates a tag key with its first values.',
  params: none,
  query: none,
  body: createTagKeyRequest,
  answer: tagKeyAnswer,
  errors: [409],
})
export const addTagValues = operation({
  id: 'addTagValues',
  method: 'POST',
  path: '/api/tags/v1/keys/{keyId}/values',
  service,
  permissions: ['ASSET_VIEW', 'TAGS_CREATE'],
  summary: 'Adds values to a tag key; existing values are returned unchanged.',
  params: z.object({ keyId: idText }),
  query: none,
  body: addTagValuesRequest,
  answer: tagValuesAnswer,
  errors: [404],
})
export const searchTagValues = operation({
  id: 'searchTagValues',
  method: 'GET',
  path: '/api/tags/v1/search',
  service,
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary: 'Lists tags as pairs of key and value; a simple tag has no key.',
  params: none,
  query: z.object({
    ...pagingQuery(['id', 'value', 'keyName', 'createdAt']),
    keyName: filterText,
    keyType: enumListText(tagKeyTypes).optional(),
    keyStatus: enumListText(tagStatuses).optional(),
    keyIds: idListText.optional(),
    keyCreatedBy: filterText,
    value: filterText,
    valueStatus: enumListText(tagStatuses).optional(),
    dataProtection: booleanText.optional(),
    keyValueIds: idListText.optional(),
    valueCreatedBy: filterText,
  }),
  answer: tagPairList,
  errors: [],
})
export const associateTags = operation({
  id: 'associateTags',
  method: 'POST',
  path: `${base}/tag-associations`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_CREATE'],
  summary:
    'Adds tags to an asset or a policy; `errors` lists those that could not be added. For a policy it requires POLICY_VIEW too. These are tags of the catalog, separate from the plain names of `/rules/{id}/tags`.',
  params: none,
  query: none,
  body: associateTagsRequest,
  answer: associateTagsAnswer,
  errors: [404, 422],
})
export const listTagAssociations = operation({
  id: 'listTagAssociations',
  method: 'GET',
  path: `${base}/tag-associations/entity/{id}`,
  service,
  permissions: ['ASSET_VIEW', 'TAGS_VIEW'],
  summary:
    'Lists the tags of an asset or a policy as pairs of key and value. For a policy it requires POLICY_VIEW too.',
  params: idParams,
  query: z.object({ entityType: taggableType }),
  answer: tagDetailList,
  errors: [404, 422],
})

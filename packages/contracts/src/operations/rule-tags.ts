import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import { tagList } from '../records/annotations.ts'
import { ruleTag, ruleTagList, ruleTagRequest, ruleTagsRequest } from '../records/rule-tags.ts'
import { idText, plainText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api/rules'
/** As published: adding a tag requires only the permission to see the policy. */
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const

export const addRuleTag = operation({
  id: 'addRuleTag',
  method: 'POST',
  path: `${base}/{id}/tag`,
  service: 'policy',
  permissions: view,
  summary:
    'Adds a tag to a policy, by its name (created if it is new). Repeating the call returns the existing tag. The version stays.',
  params: idParams,
  query: none,
  body: ruleTagRequest,
  example: { body: { ruleTag: { name: 'finance' } } },
  answer: ruleTag,
  errors: [404, 422],
})
export const addRuleTags = operation({
  id: 'addRuleTags',
  method: 'POST',
  path: `${base}/{id}/tags`,
  service: 'policy',
  permissions: view,
  summary: 'Adds several tags to a policy; the answer has all its tags.',
  params: idParams,
  query: none,
  body: ruleTagsRequest,
  example: { body: { ruleTags: [{ name: 'finance' }, { name: 'daily' }] } },
  answer: ruleTagList,
  errors: [404, 422],
})
export const removeRuleTag = operation({
  id: 'deleteRuleTag',
  method: 'DELETE',
  path: `${base}/{id}/tag/{tagId}`,
  service: 'policy',
  permissions: view,
  summary: 'Removes a tag from a policy. Returns true if the policy had the tag, otherwise false.',
  params: z.object({ id: idText, tagId: idText }),
  query: none,
  answer: z.boolean(),
  errors: [404],
})
export const listRuleTags = operation({
  id: 'listRuleTags',
  method: 'GET',
  path: `${base}/tags`,
  service: 'policy',
  permissions: view,
  summary: 'Lists the tags that policies have or have had.',
  params: none,
  query: z.object({ ...pagingQuery(['id', 'name', 'createdAt']), name: plainText(1000).optional() }),
  answer: tagList,
  errors: [],
})

import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  createPolicyRequest,
  itemList,
  qualityRule,
  ruleAnswer,
  ruleConfigInput,
  ruleConfigRecord,
  ruleList,
  unarchiveAnswer,
  updatePolicyRequest,
} from '../records/policy.ts'
import { operation } from './operation.ts'
import { enumListText, identifierParams, idParams, nameParams, none } from './shapes.ts'

const base = '/catalog-server/api/rules'
const quality = `${base}/data-quality`
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const modify = ['ASSET_VIEW', 'POLICY_MODIFY'] as const

/** Text that is no number is ignored, as the interface says of `version`. */
const versionQuery = z.object({
  version: z
    .string()
    .optional()
    .transform((text) => (text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined)),
  onlyExecutedVersion: z
    .string()
    .optional()
    .transform((text) => text?.toLowerCase() === 'true'),
})
const listQuery = z.object({
  ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt', 'version']),
  ruleStatus: enumListText(['ALL', 'ACTIVE', 'ENABLED', 'DISABLED', 'ARCHIVED']).optional(),
  name: z.string().optional(),
})
const message = z.object({ message: z.string().max(10_000).optional() })

export const createDataQualityPolicy = operation({
  id: 'createDataQualityRule',
  method: 'POST',
  path: quality,
  service: 'policy',
  permissions: ['ASSET_VIEW', 'POLICY_CREATE'],
  summary: 'Makes a data quality policy.',
  params: none,
  query: none,
  body: createPolicyRequest,
  answer: ruleAnswer,
  errors: [409],
})
export const listDataQualityPolicies = operation({
  id: 'listDataQualityRules',
  method: 'GET',
  path: quality,
  service: 'policy',
  permissions: view,
  summary: 'Lists data quality policies.',
  params: none,
  query: listQuery,
  answer: ruleList,
  errors: [],
})
export const getDataQualityPolicy = operation({
  id: 'getDataQualityRule',
  method: 'GET',
  path: `${quality}/{identifier}`,
  service: 'policy',
  permissions: view,
  summary: 'Reads a data quality policy by id or name, in any version.',
  params: identifierParams,
  query: versionQuery,
  answer: ruleAnswer,
  errors: [404],
})
export const getDataQualityPolicyByName = operation({
  id: 'getDataQualityByName',
  method: 'GET',
  path: `${quality}/byName/{name}`,
  service: 'policy',
  permissions: view,
  summary: 'Reads a data quality policy by name, in any version.',
  params: nameParams,
  query: versionQuery,
  answer: ruleAnswer,
  errors: [404],
})
export const updateDataQualityPolicy = operation({
  id: 'updateDataQualityRule',
  method: 'PUT',
  path: `${quality}/{id}`,
  service: 'policy',
  permissions: modify,
  summary: 'Changes a data quality policy: `rule` merges, `items` replaces the list.',
  params: idParams,
  query: none,
  body: updatePolicyRequest,
  answer: ruleAnswer,
  errors: [404, 409, 422],
})
export const updateDataQualityPolicyByName = operation({
  id: 'updateDataQualityByName',
  method: 'PUT',
  path: `${quality}/byName/{name}`,
  service: 'policy',
  permissions: modify,
  summary: 'Changes a data quality policy, by name.',
  params: nameParams,
  query: none,
  body: updatePolicyRequest,
  answer: ruleAnswer,
  errors: [404, 409, 422],
})
export const archiveDataQualityPolicy = operation({
  id: 'deleteDataQualityRule',
  method: 'DELETE',
  path: `${quality}/{id}`,
  service: 'policy',
  permissions: modify,
  summary: 'Archives a data quality policy; `message` is the reason.',
  params: idParams,
  query: message,
  errors: [404],
})
export const archiveDataQualityPolicyByName = operation({
  id: 'deleteDataQualityByName',
  method: 'DELETE',
  path: `${quality}/byName/{name}`,
  service: 'policy',
  permissions: modify,
  summary: 'Archives a data quality policy, by name.',
  params: nameParams,
  query: message,
  errors: [404],
})
export const unarchiveDataQualityPolicy = operation({
  id: 'unarchiveDataQualityRule',
  method: 'POST',
  path: `${quality}/{id}/unarchive`,
  service: 'policy',
  permissions: modify,
  summary: 'Brings an archived data quality policy back.',
  params: idParams,
  query: none,
  answer: unarchiveAnswer,
  errors: [404, 409],
})
export const getDataQualityItems = operation({
  id: 'getDataQualityItems',
  method: 'GET',
  path: `${quality}/{id}/items`,
  service: 'policy',
  permissions: view,
  summary: 'Lists the items of a data quality policy.',
  params: idParams,
  query: none,
  answer: itemList,
  errors: [404],
})
export const enablePolicy = operation({
  id: 'enableRule',
  method: 'PUT',
  path: `${base}/{id}/enable`,
  service: 'policy',
  permissions: modify,
  summary: 'Enables or disables a policy.',
  params: idParams,
  query: none,
  body: z.object({ enable: z.boolean() }),
  answer: z.object({ rule: qualityRule }),
  errors: [404, 422],
})
export const getPolicy = operation({
  id: 'getRule',
  method: 'GET',
  path: `${base}/{identifier}`,
  service: 'policy',
  permissions: view,
  summary: 'Reads a policy of any type by id or name.',
  params: identifierParams,
  query: none,
  answer: qualityRule,
  errors: [404],
})
export const getPolicyConfiguration = operation({
  id: 'getRuleConfiguration',
  method: 'GET',
  path: `${base}/{id}/configuration`,
  service: 'policy',
  permissions: view,
  summary: 'Reads where results of a policy are stored.',
  params: idParams,
  query: none,
  answer: ruleConfigRecord,
  errors: [404],
})
export const setPolicyConfiguration = operation({
  id: 'setRuleConfiguration',
  method: 'PUT',
  path: `${base}/{id}/configuration`,
  service: 'policy',
  permissions: modify,
  summary: 'Says where results of a policy are stored, and which rows.',
  params: idParams,
  query: none,
  body: ruleConfigInput,
  answer: ruleConfigRecord,
  errors: [404, 422],
})

import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { suggestedMapping } from '../records/policies/reconciliation.ts'
import { qualityRule, scheduleAnswer } from '../records/policy.ts'
import { ruleConfigInput, ruleConfigRecord } from '../records/policy-configuration.ts'
import { backingAssetInput, scheduleRequest } from '../records/policy-input.ts'
import { versionChanges, versionList } from '../records/policy-versions.ts'
import { idText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { identifierParams, idParams, nameParams, none } from './shapes.ts'

const base = '/catalog-server/api/rules'
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const modify = ['ASSET_VIEW', 'POLICY_MODIFY'] as const

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
  example: { body: { enable: true } },
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
  summary: 'Sets which rows of a policy are stored, and where its results are stored.',
  params: idParams,
  query: none,
  body: withFieldRules(ruleConfigInput, { sentBack: ruleConfigRecord }),
  answer: ruleConfigRecord,
  errors: [404, 422],
})
export const getPolicyConfigurationByName = operation({
  id: 'getRuleConfigurationByName',
  method: 'GET',
  path: `${base}/byName/{name}/configuration`,
  service: 'policy',
  permissions: view,
  summary: 'Reads where results of a policy are stored, by name.',
  params: nameParams,
  query: none,
  answer: ruleConfigRecord,
  errors: [404],
})
export const setPolicyConfigurationByName = operation({
  id: 'setRuleConfigurationByName',
  method: 'PUT',
  path: `${base}/byName/{name}/configuration`,
  service: 'policy',
  permissions: modify,
  summary: 'Sets which rows of a policy are stored, and where its results are stored, by name.',
  params: nameParams,
  query: none,
  body: withFieldRules(ruleConfigInput, { sentBack: ruleConfigRecord }),
  answer: ruleConfigRecord,
  errors: [404, 422],
})
export const setPolicySchedule = operation({
  id: 'setRuleSchedule',
  method: 'PUT',
  path: `${base}/{id}/schedule`,
  service: 'policy',
  permissions: modify,
  summary: 'Sets the schedule of a policy of any type; absent fields stay, and each call adds a version.',
  params: idParams,
  query: none,
  body: scheduleRequest,
  example: { body: { scheduled: true, cronExpression: '0 6 * * *', timeZone: 'Europe/Berlin' } },
  answer: scheduleAnswer,
  errors: [404, 422, 501],
})

export const suggestMappings = operation({
  id: 'suggestReconciliationMappings',
  method: 'POST',
  path: `${base}/reconciliation/suggestions`,
  service: 'policy',
  permissions: view,
  summary: 'Suggests which columns of two tables a reconciliation compares, with the key. Stores nothing.',
  params: none,
  query: none,
  body: z.object({ leftBackingAsset: backingAssetInput, rightBackingAsset: backingAssetInput }),
  example: {
    body: {
      leftBackingAsset: { tableAssetUid: 'samples.seattle-weather.csv' },
      rightBackingAsset: { tableAssetUid: 'warehouse.seattle-weather.csv' },
    },
  },
  answer: z.object({ mappings: z.array(suggestedMapping) }),
  errors: [],
})
export const listPolicyVersions = operation({
  id: 'listRuleVersions',
  method: 'GET',
  path: `${base}/{id}/versions`,
  service: 'policy',
  permissions: view,
  summary: 'Lists the newest 500 versions of a policy, newest first, with author and changes.',
  params: idParams,
  query: none,
  answer: versionList,
  errors: [404],
})
export const comparePolicyVersions = operation({
  id: 'getRuleVersionChanges',
  method: 'GET',
  path: `${base}/{id}/versions/{a}/changes/{b}`,
  service: 'policy',
  permissions: view,
  summary: 'Shows the differences between two versions of a policy.',
  params: z.object({ id: idText, a: idText, b: idText }),
  query: none,
  answer: versionChanges,
  errors: [404],
})

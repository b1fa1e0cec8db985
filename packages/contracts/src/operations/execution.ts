import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  cancelAnswer,
  executionStatus,
  resultStatus,
  ruleExecutionList,
  ruleList,
  rulesOfAssetDenied,
  ruleWithExecutionList,
  scheduleBook,
  webhookAnswer,
} from '../records/execution.ts'
import { policyTypes } from '../records/policy-types.ts'
import { startQuery, startRequest } from '../records/start-request.ts'
import { policyStatusFilters } from '../values/policy-status.ts'
import { booleanText, idListText, idText, plainText, timeText } from '../values/scalars.ts'
import { sortableExecutions } from './executions-of-kind.ts'
import { operation } from './operation.ts'
import { enumListText, idParams, none } from './shapes.ts'

const api = '/catalog-server/api'
const base = `${api}/rules`
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const execute = ['ASSET_VIEW', 'POLICY_EXECUTE'] as const
const sortablePolicies = [
  'id',
  'name',
  'createdAt',
  'updatedAt',
  'version',
  'startedAt',
  'finishedAt',
  'executionStatus',
  'resultStatus',
] as const
/** Older clients use these other names for running, failed and successful runs. */
const executionStatuses = enumListText(executionStatus.options, {
  STARTED: ['SUBMITTED', 'RUNNING'],
  WAITING: ['SUBMITTED', 'RUNNING'],
  IN_PROGRESS: ['SUBMITTED', 'RUNNING'],
  ERRORED: ['FAILED'],
  FAILURE: ['FAILED'],
  ERROR: ['FAILED'],
  SUCCESS: ['SUCCESSFUL'],
}).optional()
const ruleTypes = enumListText(policyTypes).optional()
/** Older clients use these other names for running runs and for verdicts. */
const resultStatuses = enumListText(resultStatus.options, {
  STARTED: ['RUNNING'],
  WAITING: ['RUNNING'],
  IN_PROGRESS: ['RUNNING'],
  FAILED: ['ERRORED'],
  FAILURE: ['ERRORED'],
  ERROR: ['ERRORED'],
  SUCCESS: ['SUCCESSFUL'],
}).optional()

export const startByWebhook = operation({
  id: 'startByWebhook',
  method: 'POST',
  path: '/api/webhook/rules/executions/{id}',
  service: 'execution',
  permissions: execute,
  summary:
    'Starts a run of a policy of any type. The body is optional. With `wait`, the answer includes the result if the run ends in time.',
  params: idParams,
  query: startQuery,
  body: startRequest,
  waits: true,
  answer: webhookAnswer,
  errors: [404, 422, 501],
})
export const listExecutions = operation({
  id: 'listRuleExecutions',
  method: 'GET',
  path: `${base}/executions`,
  service: 'execution',
  permissions: view,
  summary: 'Lists runs of policies of every type, newest first.',
  params: none,
  query: z.object({
    ...pagingQuery(sortableExecutions),
    ruleType: ruleTypes,
    ruleId: idText.optional(),
    ruleName: plainText(1000).optional(),
    executionStatus: executionStatuses,
    resultStatus: resultStatuses,
    assetIds: idListText.optional(),
    assemblyIds: idListText.optional(),
    sourceTypeIds: idListText.optional(),
    startedAfter: timeText.optional(),
    finishedBefore: timeText.optional(),
    /** No policy has sub-policies, so both values have the same result. */
    includeSubPolicies: booleanText.optional(),
  }),
  answer: ruleExecutionList,
  errors: [],
})
export const getPolicyMetrics = operation({
  id: 'getPolicyMetrics',
  method: 'GET',
  path: `${api}/metrics/policies`,
  service: 'execution',
  permissions: view,
  summary:
    'Returns verdict, score and time of the last run of each enabled policy, in the text format of Prometheus. Scrape it with the key pair as Bearer token.',
  params: none,
  query: z.object({
    /** Maximum number of policies, in the order of ids. `assay_policy_metrics_left_out` counts the remaining ones. */
    limit: z
      .string()
      .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a number from 1 to 1000')
      .transform(Number)
      .default(500),
  }),
  file: true,
  errors: [],
})
export const listPolicies = operation({
  id: 'listRules',
  method: 'GET',
  path: base,
  service: 'execution',
  permissions: view,
  summary:
    'Lists policies of every type, newest change first, each with its latest run. Archived ones only on request.',
  params: none,
  query: z.object({
    ...pagingQuery(sortablePolicies),
    ruleType: ruleTypes,
    ruleStatus: enumListText(policyStatusFilters).optional(),
    enabled: booleanText.optional(),
    name: plainText(1000).optional(),
    executionStatus: executionStatuses,
    resultStatus: resultStatuses,
    assetIds: idListText.optional(),
    assemblyIds: idListText.optional(),
    startedAfter: timeText.optional(),
    finishedBefore: timeText.optional(),
    withLatestExecution: booleanText.default(true),
  }),
  answer: ruleList,
  errors: [],
})

const ofAssetQuery = z.object({
  ...pagingQuery(sortablePolicies),
  ruleType: ruleTypes,
  ruleName: plainText(1000).optional(),
  executionStatus: executionStatuses,
  resultStatus: resultStatuses,
  onlyLatest: booleanText.default(true),
})
export const listPoliciesOfAsset = operation({
  id: 'getRulesWithLatestExecution',
  method: 'GET',
  path: `${api}/assets/{id}/rulesWithLatestExecution`,
  service: 'execution',
  permissions: view,
  summary: 'Lists the policies of an asset, each with its latest run, or one row per run.',
  params: idParams,
  query: ofAssetQuery,
  answer: ruleWithExecutionList,
  errors: [404],
})
export const listPoliciesOfAssetByUid = operation({
  id: 'getRulesWithLatestExecutionByUid',
  method: 'GET',
  path: `${api}/assets/byUid/{uid}/rulesWithLatestExecution`,
  service: 'execution',
  permissions: view,
  denied: rulesOfAssetDenied,
  summary: 'Lists the policies of an asset, by its UID.',
  params: z.object({ uid: z.string().min(1) }),
  query: ofAssetQuery,
  answer: ruleWithExecutionList,
  errors: [],
})
export const getPolicySchedule = operation({
  id: 'getRuleSchedule',
  method: 'GET',
  path: `${base}/{id}/schedule`,
  service: 'execution',
  permissions: view,
  summary: "Reads the upcoming runs of a policy's schedule, and the skipped ones.",
  params: idParams,
  query: none,
  answer: scheduleBook,
  errors: [404],
})
export const cancelExecution = operation({
  id: 'cancelExecution',
  method: 'PUT',
  path: `${base}/execution/{id}/cancel`,
  service: 'execution',
  permissions: execute,
  summary: 'Cancels a run that has not ended.',
  params: idParams,
  query: none,
  answer: cancelAnswer,
  errors: [404, 422],
})

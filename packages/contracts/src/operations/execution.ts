import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  cancelAnswer,
  executionAnswer,
  executionList,
  executionResult,
  executionStatus,
  resultStatus,
  rowsAnswer,
  ruleExecutionList,
  startRequest,
  webhookAnswer,
} from '../records/execution.ts'
import { policyTypes } from '../records/policy.ts'
import { booleanText, idListText, idText, plainText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { enumListText, idParams, nameParams, none } from './shapes.ts'

const base = '/catalog-server/api/rules'
const quality = `${base}/data-quality`
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const execute = ['ASSET_VIEW', 'POLICY_EXECUTE'] as const
const sortable = ['id', 'startedAt', 'finishedAt', 'executionStatus', 'resultStatus', 'ruleName'] as const
/** Epoch milliseconds in a query. */
const epochText = z
  .string()
  .regex(/^\d{1,15}$/, 'must be epoch milliseconds')
  .transform(Number)

export const startByWebhook = operation({
  id: 'startByWebhook',
  method: 'POST',
  path: '/api/webhook/rules/executions/{id}',
  service: 'execution',
  permissions: execute,
  summary: 'Starts a run of a policy of any type.',
  params: idParams,
  query: none,
  answer: webhookAnswer,
  errors: [404, 422, 501],
})
export const startDataQuality = operation({
  id: 'triggerDataQualityExecution',
  method: 'POST',
  path: `${quality}/{id}/executions`,
  service: 'execution',
  permissions: execute,
  summary: 'Starts a run of a data quality policy.',
  params: idParams,
  query: none,
  body: startRequest,
  answer: executionAnswer,
  errors: [404, 422],
})
export const startDataQualityByName = operation({
  id: 'triggerDataQualityExecutionByName',
  method: 'POST',
  path: `${quality}/byName/{name}/executions`,
  service: 'execution',
  permissions: execute,
  summary: 'Starts a run of a data quality policy, by name.',
  params: nameParams,
  query: none,
  body: startRequest,
  answer: executionAnswer,
  errors: [404, 422],
})
export const listDataQualityExecutions = operation({
  id: 'getDataQualityExecutions',
  method: 'GET',
  path: `${quality}/{id}/executions`,
  service: 'execution',
  permissions: view,
  summary: 'Lists the runs of a data quality policy, newest first.',
  params: idParams,
  query: z.object(pagingQuery(sortable)),
  answer: executionList,
  errors: [404],
})
export const listDataQualityExecutionsByName = operation({
  id: 'getDataQualityExecutionsByName',
  method: 'GET',
  path: `${quality}/byName/{name}/executions`,
  service: 'execution',
  permissions: view,
  summary: 'Lists the runs of a data quality policy, by name.',
  params: nameParams,
  query: z.object(pagingQuery(sortable)),
  answer: executionList,
  errors: [404],
})
export const getDataQualityExecution = operation({
  id: 'getDataQualityExecutionDetail',
  method: 'GET',
  path: `${quality}/executions/{id}`,
  service: 'execution',
  permissions: view,
  summary: 'Reads a run with its items.',
  params: idParams,
  query: none,
  answer: executionAnswer,
  errors: [404],
})
export const getDataQualityResult = operation({
  id: 'getDataQualityExecutionResult',
  method: 'GET',
  path: `${quality}/executions/{id}/result`,
  service: 'execution',
  permissions: view,
  summary: 'Reads the result of a run; the whole shape also while it runs.',
  params: idParams,
  query: none,
  answer: executionResult,
  errors: [404],
})
export const getDataQualityRows = operation({
  id: 'getDataQualityExecutionRows',
  method: 'GET',
  path: `${quality}/executions/{id}/rows`,
  service: 'execution',
  permissions: view,
  summary: 'Pages through the first 100 bad or good rows of a run.',
  params: idParams,
  query: z.object({ ...pagingQuery([]), category: z.enum(['bad', 'good']).default('bad'), itemId: idText.optional() }),
  answer: rowsAnswer,
  errors: [404, 422],
})
export const downloadDataQualityRows = operation({
  id: 'downloadDataQualityExecutionRows',
  method: 'GET',
  path: `${quality}/executions/{id}/rows/download`,
  service: 'execution',
  permissions: view,
  summary: 'Downloads all bad or good rows of a run, as they are stored.',
  params: idParams,
  query: z.object({
    category: z.enum(['bad', 'good']).default('bad'),
    format: z.enum(['PARQUET', 'CSV', 'JSON']).optional(),
  }),
  file: true,
  errors: [404, 422],
})
export const listExecutions = operation({
  id: 'listRuleExecutions',
  method: 'GET',
  path: `${base}/executions`,
  service: 'execution',
  permissions: view,
  summary: 'Lists runs of policies of every type.',
  params: none,
  query: z.object({
    ...pagingQuery(sortable),
    ruleType: enumListText(policyTypes).optional(),
    ruleId: idText.optional(),
    ruleName: plainText(1000).optional(),
    executionStatus: enumListText(executionStatus.options, {
      IN_PROGRESS: ['SUBMITTED', 'RUNNING'],
      ERRORED: ['FAILED'],
      FAILURE: ['FAILED'],
      ERROR: ['FAILED'],
      SUCCESS: ['SUCCESSFUL'],
    }).optional(),
    resultStatus: enumListText(resultStatus.options).optional(),
    assetIds: idListText.optional(),
    assemblyIds: idListText.optional(),
    sourceTypeIds: idListText.optional(),
    startedAfter: epochText.optional(),
    finishedBefore: epochText.optional(),
    includeSubPolicies: booleanText.optional(),
  }),
  answer: ruleExecutionList,
  errors: [],
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

import { z } from 'zod'
import { columnSortText, pagingQuery, sizeText } from '../http/paging.ts'
import { executionAnswer, executionList, executionResult, rowsAnswer, startAnswer } from '../records/execution.ts'
import { policyRow } from '../records/policies/table.ts'
import type { PolicyType } from '../records/policy-types.ts'
import { feedbackAnswer, feedbackRequest, seriesAnswer, whatIfAnswer, whatIfRequest } from '../records/series.ts'
import { startQuery, startRequest } from '../records/start-request.ts'
import { idText, timeText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { namesOf } from './policy-names.ts'
import { idParams, nameParams, none } from './shapes.ts'

const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const execute = ['ASSET_VIEW', 'POLICY_EXECUTE'] as const
export const sortableExecutions = [
  'id',
  'startedAt',
  'finishedAt',
  'executionStatus',
  'resultStatus',
  'ruleName',
] as const
const listQuery = z.object(pagingQuery(sortableExecutions))
/** The sort field for the stored order of rows. Rows cannot be sorted by a column with this name. */
export const rowNumber = 'rowNumber'
/** `runs`: maximum number of runs to read. `itemId`: points of one item only. */
const seriesQuery = z.object({
  runs: sizeText.refine((runs) => runs > 0, 'must be at least 1').prefault('100'),
  from: timeText.optional(),
  to: timeText.optional(),
  itemId: idText.optional(),
})
const category = z.enum(['bad', 'good']).default('bad')

/** The operations on the runs of one policy type. */
export function executionsOf(type: PolicyType) {
  const { segment, name, title } = namesOf(type)
  const resultPermissions = policyRow(type).hasOpenResults === true ? (['POLICY_VIEW'] as const) : view
  const root = `/catalog-server/api/rules/${segment}`
  return {
    start: operation({
      id: `trigger${name}Execution`,
      method: 'POST',
      path: `${root}/{id}/executions`,
      service: 'execution',
      permissions: execute,
      summary: `Starts a run of ${title} policy. With \`wait\`, the answer includes the result if the run ends in time.`,
      params: idParams,
      query: startQuery,
      waits: true,
      body: startRequest,
      example: { body: { executionType: 'FULL' } },
      answer: startAnswer,
      errors: [404, 422],
    }),
    startByName: operation({
      id: `trigger${name}ExecutionByName`,
      method: 'POST',
      path: `${root}/byName/{name}/executions`,
      service: 'execution',
      permissions: execute,
      summary: `Starts a run of ${title} policy, by name. With \`wait\`, the answer includes the result if the run ends in time.`,
      params: nameParams,
      query: startQuery,
      waits: true,
      body: startRequest,
      example: { body: { executionType: 'FULL' } },
      answer: startAnswer,
      errors: [404, 422],
    }),
    list: operation({
      id: `get${name}Executions`,
      method: 'GET',
      path: `${root}/{id}/executions`,
      service: 'execution',
      permissions: view,
      summary: `Lists the runs of ${title} policy, newest first.`,
      params: idParams,
      query: listQuery,
      answer: executionList,
      errors: [404],
    }),
    listByName: operation({
      id: `get${name}ExecutionsByName`,
      method: 'GET',
      path: `${root}/byName/{name}/executions`,
      service: 'execution',
      permissions: view,
      summary: `Lists the runs of ${title} policy, by name, newest first.`,
      params: nameParams,
      query: listQuery,
      answer: executionList,
      errors: [404],
    }),
    detail: operation({
      id: `get${name}ExecutionDetail`,
      method: 'GET',
      path: `${root}/executions/{id}`,
      service: 'execution',
      permissions: view,
      summary: `Reads a run of ${title} policy with its items.`,
      params: idParams,
      query: none,
      answer: executionAnswer,
      errors: [404],
    }),
    result: operation({
      id: `get${name}ExecutionResult`,
      method: 'GET',
      path: `${root}/executions/{id}/result`,
      service: 'execution',
      permissions: resultPermissions,
      summary: `Reads the result of a run of ${title} policy. The answer has all fields even before the run ends.`,
      params: idParams,
      query: none,
      answer: executionResult,
      errors: [404],
    }),
    series: operation({
      id: `get${name}Series`,
      method: 'GET',
      path: `${root}/{id}/series`,
      service: 'execution',
      permissions: view,
      summary: `Reads the measured values of ${title} policy as they were judged, newest first.`,
      params: idParams,
      query: seriesQuery,
      answer: seriesAnswer,
      errors: [404],
    }),
    whatIf: operation({
      id: `ask${name}WhatIf`,
      method: 'POST',
      path: `${root}/{id}/what-if`,
      service: 'execution',
      permissions: view,
      summary: `Computes from stored values when ${title} policy would have fired with other thresholds. Stores nothing.`,
      params: idParams,
      query: none,
      body: whatIfRequest,
      example: { body: {} },
      answer: whatIfAnswer,
      errors: [404],
    }),
    feedback: operation({
      id: `give${name}Feedback`,
      method: 'POST',
      path: `${root}/executions/{id}/feedback`,
      service: 'execution',
      permissions: ['ASSET_VIEW', 'POLICY_MODIFY'],
      summary: `Gives feedback on points of a run of ${title} policy: whether they are normal. Later runs use it; the run keeps its verdict.`,
      params: idParams,
      query: none,
      body: feedbackRequest,
      example: { body: { feedback: 'NORMAL', comment: 'The sale of the year.' } },
      answer: feedbackAnswer,
      errors: [404, 422],
    }),
    rows: operation({
      id: `get${name}ExecutionRows`,
      method: 'GET',
      path: `${root}/executions/{id}/rows`,
      service: 'execution',
      permissions: view,
      summary: `Pages through the first 100 bad or good rows of a run of ${title} policy, or through all stored rows of one item.`,
      params: idParams,
      query: z.object({ ...pagingQuery([]), sortBy: columnSortText(rowNumber), category, itemId: idText.optional() }),
      answer: rowsAnswer,
      errors: [404, 422],
    }),
    download: operation({
      id: `download${name}ExecutionRows`,
      method: 'GET',
      path: `${root}/executions/{id}/rows/download`,
      service: 'execution',
      permissions: view,
      summary: `Downloads all bad or good rows of a run of ${title} policy, or those that failed one item.`,
      params: idParams,
      query: z.object({ category, format: z.enum(['PARQUET', 'CSV', 'JSON']).optional(), itemId: idText.optional() }),
      file: true,
      errors: [404, 422],
    }),
  }
}

/** The path with an underscore that existing clients call. */
export function executionsByOldPath(type: PolicyType) {
  const { segment, name, title } = namesOf(type)
  return operation({
    id: `get${name}ExecutionsByOldPath`,
    method: 'GET',
    path: `/catalog-server/api/rules/${segment.replaceAll('-', '_')}/{id}/executions`,
    service: 'execution',
    permissions: view,
    summary: `Lists the runs of ${title} policy, like the path with a hyphen.`,
    params: idParams,
    query: listQuery,
    answer: executionList,
    errors: [404],
  })
}

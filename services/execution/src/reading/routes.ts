import { type ExecutionStatus, executionOperations, type ResultStatus } from '@assay/contracts'
import type { Condition, Documents, FieldValue, Query, Stored } from '@assay/documents'
import { type Clock, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { policyRequest } from '../calls.ts'
import { assertDataQuality, type Policies } from '../copies/find-policy.ts'
import { executions } from '../execution/execution.documents.ts'
import type { Execution } from '../execution/execution.ts'
import { executionResultOf, ruleExecutionResultOf } from './execution-result.ts'
import { executionAnswerOf } from './item-records.ts'
import { ruleExecutionOf } from './rule-execution.ts'

/** Reading runs and their results. */
export function readingRoutes(deps: { documents: Documents; policies: Policies; clock: Clock }): Route[] {
  const { documents, policies, clock } = deps

  const ofPolicy = async (tenant: string, policyId: number, query: Paging) => {
    const where = [{ field: 'policyId', is: policyId }]
    const { documents: states, count } = await documents.find(executions, tenant, paged(query, where))
    return { executions: states.map(executionAnswerOf), meta: { count, page: query.page, size: query.size } }
  }

  return [
    route(executionOperations.listDataQualityExecutions, async (call) => {
      assertDataQuality(await policies.byId(call.params.id, policyRequest(call)))
      return { body: await ofPolicy(call.identity.tenant, call.params.id, call.query) }
    }),
    route(executionOperations.listDataQualityExecutionsByName, async (call) => {
      const copy = await policies.byName(call.params.name, policyRequest(call))
      assertDataQuality(copy)
      return { body: await ofPolicy(call.identity.tenant, copy.policy.rule.id, call.query) }
    }),
    route(executionOperations.getDataQualityExecution, async (call) => {
      const stored = await findExecution(documents, call.identity.tenant, call.params.id)
      return { body: executionAnswerOf(stored.document), position: stored.source.position }
    }),
    route(executionOperations.getDataQualityResult, async (call) => {
      const stored = await findExecution(documents, call.identity.tenant, call.params.id)
      return { body: executionResultOf(stored.document, clock.now()), position: stored.source.position }
    }),
    route(executionOperations.listExecutions, async (call) => {
      const { query } = call
      const where = conditions(query)
      const { documents: states, count } = await documents.find(executions, call.identity.tenant, paged(query, where))
      const meta = { count, page: query.page, size: query.size }
      return { body: { executions: states.map(listed), meta } }
    }),
  ]
}

/** A run of the tenant. Error: `not-found`. */
export async function findExecution(documents: Documents, tenant: string, id: number): Promise<Stored<Execution>> {
  const stored = await documents.get(executions, tenant, id)
  if (!stored) throw new AssayError('not-found', `There is no execution with the id ${id}.`)
  return stored
}

interface Paging {
  page: number
  size: number
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
}

function paged({ page, size, sortBy }: Paging, where: Condition[]): Query {
  return { where, sort: [sortBy ?? { field: 'startedAt', direction: 'desc' }], page, size }
}

interface Filters {
  ruleType?: readonly string[] | undefined
  ruleId?: number | undefined
  ruleName?: string | undefined
  executionStatus?: readonly ExecutionStatus[] | undefined
  resultStatus?: readonly ResultStatus[] | undefined
  assetIds?: readonly number[] | undefined
  assemblyIds?: readonly number[] | undefined
  sourceTypeIds?: readonly number[] | undefined
  startedAfter?: number | undefined
  finishedBefore?: number | undefined
}

/** An empty list or text filters nothing. */
function conditions(filters: Filters): Condition[] {
  const oneOf = (field: string, values: readonly FieldValue[] | undefined): Condition[] =>
    values === undefined || values.length === 0 ? [] : [{ field, in: values }]
  return [
    ...oneOf('ruleType', filters.ruleType),
    ...oneOf('executionStatus', filters.executionStatus),
    ...oneOf('resultStatus', filters.resultStatus),
    ...oneOf('assetId', filters.assetIds),
    ...oneOf('assemblyId', filters.assemblyIds),
    ...oneOf('sourceTypeId', filters.sourceTypeIds),
    ...(filters.ruleId === undefined ? [] : [{ field: 'policyId', is: filters.ruleId }]),
    ...(filters.ruleName ? [{ field: 'ruleName', contains: filters.ruleName }] : []),
    ...(filters.startedAfter === undefined ? [] : [{ field: 'startedAt', from: filters.startedAfter }]),
    ...(filters.finishedBefore === undefined ? [] : [{ field: 'finishedAt', to: filters.finishedBefore }]),
  ]
}

function listed(state: Execution) {
  const { table } = state.run
  return {
    execution: ruleExecutionOf(state),
    result: ruleExecutionResultOf(state),
    leftBackingAssetId: table.assetId,
    leftBackingAssetUid: table.uid,
    leftDataSource: table.assemblyName,
    leftDataSourceType: table.sourceTypeName,
    rightBackingAssetId: null,
    rightBackingAssetUid: null,
    rightDataSource: null,
    rightDataSourceType: null,
  }
}

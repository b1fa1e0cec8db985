import {
  type ExecutionStatus,
  executionKinds,
  executionOperations,
  executionsByOldPaths,
  type PolicyType,
  policyTypes,
  type ResultStatus,
} from '@assay/contracts'
import { type Asking, type Condition, type Documents, findPage, type Query, type Stored } from '@assay/documents'
import { type Caller, type Clock, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { policyRequest } from '../calls.ts'
import { assertType, type Policies } from '../copies/find-policy.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executions } from '../execution/execution.documents.ts'
import type { Execution } from '../execution/execution.ts'
import { carefulPage } from '../listing/careful-page.ts'
import { oneOf, type PolicyIds } from '../listing/policy-filters.ts'
import type { Paging } from '../listing/policy-pages.ts'
import { executionResultOf, ruleExecutionResultOf } from './execution-result.ts'
import { executionAnswerOf } from './item-records.ts'
import type { ShownExecution, ShownRuns } from './masked-outcomes.ts'
import { ruleExecutionOf } from './rule-execution.ts'
import { runFiguresOf } from './run-figures.ts'
import { shownResultStatusOf } from './shown-status.ts'

/** Reading runs and their results. */
export function readingRoutes(deps: {
  documents: Documents
  policies: Policies
  ids: Pick<PolicyIds, 'onAssets'>
  clock: Clock
  shownRuns: ShownRuns
}): Route[] {
  const { documents, policies, ids, clock, shownRuns } = deps

  /** A page of runs as the caller may see them. */
  function shownPage(call: Caller & Asking, query: Paging & Pick<Filters, 'resultStatus'>, where: Condition[]) {
    const read = async (paging: Paging, { isPart }: { isPart: boolean }) => {
      const asking = { listing: call.listing, signal: call.signal, isPart }
      const found = await findPage(documents, asking, executions, paged(call, paging, where))
      return { rows: await shownRuns.all(call, found.documents), count: found.count }
    }
    return carefulPage({ documents, read, statusOf: shownResultStatusOf }, call, query)
  }

  const ofPolicy = async (call: Caller & Asking, copy: PolicyCopy, type: PolicyType, query: Paging) => {
    assertType(copy, type)
    const { rows, count } = await shownPage(call, query, [{ field: 'policyId', is: copy.policy.rule.id }])
    const meta = { count, page: query.page, size: query.size }
    return { body: { executions: rows.map(executionAnswerOf), meta } }
  }

  const ofKind = (type: PolicyType): Route[] => {
    const { list, listByName, detail, result } = executionKinds[type]
    return [
      route(list, async (call) =>
        ofPolicy(call, await policies.byId(call.params.id, policyRequest(call)), type, call.query),
      ),
      route(listByName, async (call) =>
        ofPolicy(call, await policies.byName(call.params.name, policyRequest(call)), type, call.query),
      ),
      route(detail, async (call) => {
        const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
        return { body: executionAnswerOf(await shownRuns.one(call, stored.document)), position: stored.source.position }
      }),
      route(result, async (call) => {
        const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
        const shown = await shownRuns.one(call, stored.document)
        return { body: executionResultOf(shown, clock.now()), position: stored.source.position }
      }),
    ]
  }

  const byOldPath = (type: keyof typeof executionsByOldPaths): Route =>
    route(executionsByOldPaths[type], async (call) =>
      ofPolicy(call, await policies.byId(call.params.id, policyRequest(call)), type, call.query),
    )

  return [
    ...policyTypes.flatMap(ofKind),
    byOldPath('SCHEMA_DRIFT'),
    byOldPath('DATA_CADENCE'),
    byOldPath('DATA_DRIFT'),
    route(executionOperations.listExecutions, async (call) => {
      const { query } = call
      const { tenant } = call.identity
      const assetIds = query.assetIds ?? []
      const where = [
        ...conditions(query),
        ...(assetIds.length === 0 ? [] : [{ field: 'policyId', in: await ids.onAssets(tenant, assetIds) }]),
      ]
      const { rows, count } = await shownPage(call, query, where)
      const meta = { count, page: query.page, size: query.size }
      return { body: { executions: rows.map(listed), meta } }
    }),
  ]
}

/** A run of the tenant, of a policy of this type. Throws `not-found`. */
export async function findExecution(
  documents: Documents,
  tenant: string,
  id: number,
  type: PolicyType,
): Promise<Stored<Execution>> {
  const stored = await documents.get(executions, tenant, id)
  if (stored?.document.run.policy.type !== type)
    throw new AssayError('not-found', `There is no execution with the id ${id}.`)
  return stored
}

function paged(
  { identity: { tenant } }: Caller,
  { page, size, sortBy }: Paging,
  where: Condition[],
): Query & { tenant: string } {
  return { tenant, where, sort: [sortBy ?? { field: 'startedAt', direction: 'desc' }], page, size }
}

interface Filters {
  ruleType?: readonly string[] | undefined
  ruleId?: number | undefined
  ruleName?: string | undefined
  executionStatus?: readonly ExecutionStatus[] | undefined
  resultStatus?: readonly ResultStatus[] | undefined
  assemblyIds?: readonly number[] | undefined
  sourceTypeIds?: readonly number[] | undefined
  startedAfter?: number | undefined
  finishedBefore?: number | undefined
}

/** An empty list or text filters nothing. */
function conditions(filters: Filters): Condition[] {
  return [
    ...oneOf('ruleType', filters.ruleType),
    ...oneOf('executionStatus', filters.executionStatus),
    ...oneOf('resultStatus', filters.resultStatus),
    ...oneOf('assemblyId', filters.assemblyIds),
    ...oneOf('sourceTypeId', filters.sourceTypeIds),
    ...(filters.ruleId === undefined ? [] : [{ field: 'policyId', is: filters.ruleId }]),
    ...(filters.ruleName ? [{ field: 'ruleName', contains: filters.ruleName }] : []),
    ...(filters.startedAfter === undefined ? [] : [{ field: 'startedAt', from: filters.startedAfter }]),
    ...(filters.finishedBefore === undefined ? [] : [{ field: 'finishedAt', to: filters.finishedBefore }]),
  ]
}

function listed(state: ShownExecution) {
  const [left, right] = state.run.sides
  return {
    execution: ruleExecutionOf(state),
    result: ruleExecutionResultOf(state),
    ...runFiguresOf(state),
    leftBackingAssetId: left.assetId,
    leftBackingAssetUid: left.uid,
    leftDataSource: left.assemblyName,
    leftDataSourceType: left.sourceTypeName,
    rightBackingAssetId: right?.assetId ?? null,
    rightBackingAssetUid: right?.uid ?? null,
    rightDataSource: right?.assemblyName ?? null,
    rightDataSourceType: right?.sourceTypeName ?? null,
  }
}

import {
  type AnswerOf,
  type ExecutionStatus,
  executionKinds,
  executionOperations,
  executionsByOldPaths,
  type PolicyType,
  policyTypes,
  type ResultStatus,
} from '@assay/contracts'
import type { Asking, Condition, Documents, Stored } from '@assay/documents'
import { type Caller, type Clock, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assertType, type Policies } from '../copies/find-policy.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executions } from '../execution/execution.documents.ts'
import type { Execution } from '../execution/execution.ts'
import { oneOf, type PolicyIds } from '../listing/policy-filters.ts'
import type { Paging } from '../listing/policy-pages.ts'
import { statesOf } from '../publishing/execution-messages.ts'
import { createTurns } from '../running/in-slices.ts'
import { executionResultOf, ruleExecutionResultOf } from './execution-result.ts'
import { executionAnswerOf } from './item-records.ts'
import type { ShownExecution, ShownRuns } from './masked-outcomes.ts'
import { ruleExecutionOf } from './rule-execution.ts'
import { runFiguresOf } from './run-figures.ts'
import { shownPage } from './shown-page.ts'

/** Reading runs and their results. */
export function readingRoutes(deps: {
  documents: Documents
  policies: Policies
  ids: Pick<PolicyIds, 'onAssets'>
  clock: Clock
  shownRuns: ShownRuns
}): Route[] {
  const { documents, policies, ids, clock, shownRuns } = deps

  /** The answer with a record of one run. The run of a wide policy is large, so other work gets its turn in between. */
  async function shownOne(
    call: Caller,
    { document }: Stored<Execution>,
    recordOf: (state: ShownExecution) => object,
  ): Promise<{ text: string; states: readonly string[] }> {
    const takeTurns = createTurns()
    const shown = await shownRuns.one(call, document)
    await takeTurns(call.signal)
    const record = recordOf(shown)
    await takeTurns(call.signal)
    return { text: JSON.stringify(record), states: statesOf(document) }
  }

  const ofPolicy = async (call: Caller & Asking, copy: PolicyCopy, type: PolicyType, query: Paging) => {
    assertType(copy, type)
    const where = [{ field: 'policyId', is: copy.policy.rule.id }]
    return shownPage(deps, call, query, { where, recordOf: executionAnswerOf })
  }

  const ofKind = (type: PolicyType): Route[] => {
    const { list, listByName, detail, result } = executionKinds[type]
    return [
      route(list, async (call) => ofPolicy(call, await policies.byId(call.params.id, call), type, call.query)),
      route(listByName, async (call) =>
        ofPolicy(call, await policies.byName(call.params.name, call), type, call.query),
      ),
      route(detail, async (call) => {
        const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
        return shownOne(call, stored, executionAnswerOf)
      }),
      route(result, async (call) => {
        const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
        return shownOne(call, stored, (shown) => executionResultOf(shown, clock.now()))
      }),
    ]
  }

  const byOldPath = (type: keyof typeof executionsByOldPaths): Route =>
    route(executionsByOldPaths[type], async (call) =>
      ofPolicy(call, await policies.byId(call.params.id, call), type, call.query),
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
      return shownPage(deps, call, query, { where, recordOf: listed })
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

function listed(state: ShownExecution): AnswerOf<typeof executionOperations.listExecutions>['executions'][number] {
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

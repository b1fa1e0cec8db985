import {
  executionOperations,
  policyStatusesOf,
  type QueryOf,
  type RuleWithExecution,
  rulesOfAssetDenied,
} from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { AssetTargets } from '../copies/find-asset.ts'
import { executionMetricsOf } from '../reading/execution-metrics.ts'
import { carefulPage, type ReadRows } from './careful-page.ts'
import { oneOf, type PolicyIds, policyConditions } from './policy-filters.ts'
import type { Lister, Paging, PolicyPages } from './policy-pages.ts'

type OfAsset = QueryOf<typeof executionOperations.listPoliciesOfAsset>
const archived: Condition = { field: 'status', is: 'ARCHIVED' }

/** Lists policies of all types with their latest runs: all policies, or the policies of an asset. */
export function listingRoutes(deps: {
  documents: Pick<Documents, 'find'>
  readYourWrites: ReadYourWrites
  assets: AssetTargets
  ids: PolicyIds
  pages: PolicyPages
}): Route[] {
  const { documents, readYourWrites, assets, ids, pages } = deps
  const statusOf = ({ execution }: RuleWithExecution) => execution?.resultStatus

  /** A page of policies with their latest runs. */
  function latest(call: Lister, where: readonly Condition[], query: Paging & Pick<OfAsset, 'resultStatus'>) {
    const read: ReadRows<RuleWithExecution> = (paging, { isPart }) => pages.latest(partOf(call, isPart), where, paging)
    return carefulPage({ documents, read, statusOf }, call, query)
  }

  /** The targets of an asset, once the local read models have what the caller has seen. */
  async function targetsOf(call: Caller, named: { id: number } | { uid: string }) {
    await readYourWrites(seenOf(call, 'catalog'))
    return assets.targetsOf(call.identity.tenant, named)
  }

  async function ofTargets(call: Caller & Lister, targets: readonly string[], query: OfAsset) {
    const { tenant } = call.identity
    await readYourWrites(seenOf(call, 'policy'))
    const policyIds = await ids.onTargets(tenant, targets)
    const { ruleType, ruleName, executionStatus, resultStatus, page, size } = query
    const filters = { ruleType, name: ruleName, executionStatus, resultStatus }
    const ofRuns = [
      { field: 'policyId', in: policyIds },
      ...oneOf('ruleType', ruleType),
      ...oneOf('executionStatus', executionStatus),
      ...oneOf('resultStatus', resultStatus),
      ...(ruleName ? [{ field: 'ruleName', contains: ruleName }] : []),
    ]
    const runs: ReadRows<RuleWithExecution> = (paging, { isPart }) => pages.runs(partOf(call, isPart), ofRuns, paging)
    const { rows, count } = query.onlyLatest
      ? await latest(call, [{ field: 'id', in: policyIds }, notArchived, ...policyConditions(filters)], query)
      : await carefulPage({ documents, read: runs, statusOf }, call, query)
    return { body: { executions: rows, meta: { count, page, size } } }
  }

  return [
    route(executionOperations.listPolicies, async (call) => {
      const { query } = call
      const { tenant } = call.identity
      await readYourWrites(seenOf(call, 'policy'))
      const named = query.assetIds ?? []
      const common = [
        ...policyConditions(query),
        ...(named.length === 0 ? [] : [{ field: 'id', in: await ids.onAssets(tenant, named) }]),
        ...(await ids.inAssemblies(tenant, query.assemblyIds)),
      ]
      const where = [...common, { field: 'status', in: policyStatusesOf(query.ruleStatus) }]
      const { rows, count } = await latest(call, where, query)
      const { resultStatus } = query
      const ofArchived = { page: 0, size: 0, resultStatus }
      const archivedPolicyCount = (await latest(call, [...common, archived], ofArchived)).count
      const rules = rows.map(({ rule, execution, result }) => ({
        rule,
        execution: query.withLatestExecution ? execution : null,
        executionMetrics: query.withLatestExecution ? executionMetricsOf(execution, result) : null,
        childRules: [],
      }))
      return { body: { rules, meta: { count, page: query.page, size: query.size, archivedPolicyCount } } }
    }),
    route(executionOperations.listPoliciesOfAsset, async (call) => {
      const targets = await targetsOf(call, { id: call.params.id })
      if (targets === undefined) throw new AssayError('not-found', `There is no asset with the id ${call.params.id}.`)
      return ofTargets(call, targets, call.query)
    }),
    route(executionOperations.listPoliciesOfAssetByUid, async (call) => {
      const targets = await targetsOf(call, { uid: call.params.uid })
      if (targets === undefined) throw new AssayError('forbidden', rulesOfAssetDenied)
      return ofTargets(call, targets, call.query)
    }),
  ]
}

/** For the same caller and snapshot. */
const partOf = ({ identity, seen, signal, listing }: Lister, isPart: boolean): Lister => ({
  ...{ identity, seen, signal, listing },
  isPart,
})

const notArchived: Condition = { field: 'status', in: ['ENABLED', 'DISABLED'] }

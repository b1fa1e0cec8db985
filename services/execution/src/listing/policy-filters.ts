import type { ExecutionStatus, PolicyType, ResultStatus } from '@assay/contracts'
import type { Condition, Documents, FieldValue } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { AssetTargets } from '../copies/find-asset.ts'
import { policyRunsCollection, policyTargets } from '../policy-runs/policy-runs.documents.ts'

/** Filters of lists of policies with their latest run. An empty list or text filters nothing. */
export interface PolicyFilters {
  ruleType?: readonly PolicyType[] | undefined
  name?: string | undefined
  enabled?: boolean | undefined
  executionStatus?: readonly ExecutionStatus[] | undefined
  resultStatus?: readonly ResultStatus[] | undefined
  /** Epoch milliseconds. */
  startedAfter?: number | undefined
  finishedBefore?: number | undefined
}

/** Conditions on the documents of policies' runs. */
export function policyConditions(filters: PolicyFilters): Condition[] {
  return [
    { field: 'known', is: true },
    ...oneOf('ruleType', filters.ruleType),
    ...oneOf('executionStatus', filters.executionStatus),
    ...oneOf('resultStatus', filters.resultStatus),
    ...(filters.name ? [{ field: 'name', contains: filters.name }] : []),
    ...(filters.enabled === undefined ? [] : [{ field: 'enabled', is: filters.enabled }]),
    ...(filters.startedAfter === undefined ? [] : [{ field: 'startedAt', from: filters.startedAfter }]),
    ...(filters.finishedBefore === undefined ? [] : [{ field: 'finishedAt', to: filters.finishedBefore }]),
  ]
}

export function oneOf(field: string, values: readonly FieldValue[] | undefined): Condition[] {
  return values === undefined || values.length === 0 ? [] : [{ field, in: values }]
}

const pageSize = 1_000
const targetsAtOnce = 1_000
/** Maximum number of ids in one condition. */
const maxPolicies = 10_000

/** Conditions for policies on given assets or of given assemblies. */
export interface PolicyIds {
  /** Ids of policies on any of the targets. Throws `invalid` for more than 10,000. */
  onTargets(tenant: string, targets: readonly string[]): Promise<number[]>
  /** Ids of policies on any of these tables, columns or containers. Unknown ids match nothing. */
  onAssets(tenant: string, assetIds: readonly number[]): Promise<number[]>
  /**
   * Conditions for policies of any of the assemblies. Throws `invalid` for more than 10,000 policies of two assemblies.
   */
  inAssemblies(tenant: string, assemblyIds: readonly number[] | undefined): Promise<Condition[]>
}

export function createPolicyIds(deps: { documents: Documents; assets: AssetTargets }): PolicyIds {
  const { documents, assets } = deps

  async function onTargets(tenant: string, targets: readonly string[]): Promise<number[]> {
    const ids = new Set<number>()
    for (let from = 0; from < targets.length; from += targetsAtOnce) {
      const where = [{ field: 'target', in: targets.slice(from, from + targetsAtOnce) }]
      for (let page = 0; ; page += 1) {
        const found = await documents.find(policyTargets, tenant, { where, page, size: pageSize })
        for (const { policyId } of found.documents) ids.add(policyId)
        if (ids.size > maxPolicies) throw tooMany('assetIds')
        if (found.documents.length < pageSize) break
      }
    }
    return [...ids]
  }

  async function idsWhere(tenant: string, where: readonly Condition[]): Promise<number[]> {
    const { count } = await documents.find(policyRunsCollection, tenant, { where, size: 0 })
    if (count > maxPolicies) throw tooMany('assemblyIds')
    const ids: number[] = []
    for (let page = 0; ; page += 1) {
      const sort = [{ field: 'id', direction: 'asc' as const }]
      const found = await documents.find(policyRunsCollection, tenant, { where, sort, page, size: pageSize })
      for (const { policy } of found.documents) if (policy) ids.push(policy.id)
      if (found.documents.length < pageSize) return ids
    }
  }

  return {
    onTargets,
    onAssets: async (tenant, assetIds) => {
      const targets: string[] = []
      for (const id of assetIds) {
        targets.push(...((await assets.targetsOf(tenant, { id })) ?? []))
      }
      return targets.length === 0 ? [] : onTargets(tenant, targets)
    },
    inAssemblies: async (tenant, assemblyIds) => {
      if (assemblyIds === undefined || assemblyIds.length === 0) return []
      const first: Condition = { field: 'assemblyId', in: assemblyIds }
      const second: Condition = { field: 'otherAssemblyId', in: assemblyIds }
      const ofTwo = await idsWhere(tenant, [second])
      if (ofTwo.length === 0) return [first]
      const ids = new Set([...(await idsWhere(tenant, [first])), ...ofTwo])
      return [{ field: 'id', in: [...ids] }]
    },
  }
}

function tooMany(field: string): AssayError {
  return new AssayError('invalid', `${field}: more than ${maxPolicies} policies belong to these; name fewer.`)
}

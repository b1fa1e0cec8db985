import { type PolicyAnswer, policyType, qualityRuleOf } from '@assay/contracts'
import { z } from 'zod'

/** The parts of a policy that lists and schedules need. Times are epoch milliseconds. */
export const followedPolicy = z.object({
  /** Revision of the policy's stream. */
  revision: z.int(),
  id: z.int(),
  name: z.string(),
  type: policyType,
  version: z.int(),
  enabled: z.boolean(),
  archived: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** Tables by their ids, and columns as `<id of the table>/<name>`. */
  targets: z.array(z.string()),
  /** The assemblies of its tables; empty while no table is known. */
  assemblyIds: z.array(z.int()),
  /** `null` means it is not scheduled. */
  schedule: z.object({ cronExpression: z.string(), timeZone: z.string() }).nullable(),
})
export type FollowedPolicy = z.infer<typeof followedPolicy>

/** Ids of the tables of a policy: one, or the left and the right one. */
export function tableIdsOf(policy: PolicyAnswer): number[] {
  return [...new Set(qualityRuleOf(policy).backingAssets.map(({ tableAssetId }) => tableAssetId))]
}

/** The target for a column. */
export function columnTarget(tableId: number, columnName: string): string {
  return `${tableId}/${columnName}`
}

export function followedPolicyOf(
  policy: PolicyAnswer,
  revision: number,
  assemblyIds: readonly number[],
): FollowedPolicy {
  const { rule } = policy
  const isScheduled = rule.scheduled && rule.enabled && !rule.archived && rule.schedule !== null
  return {
    revision,
    id: rule.id,
    name: rule.name,
    type: rule.type,
    version: rule.version,
    enabled: rule.enabled,
    archived: rule.archived,
    createdAt: Date.parse(rule.createdAt),
    updatedAt: Date.parse(rule.updatedAt),
    targets: targetsOf(policy),
    assemblyIds: [...assemblyIds],
    schedule: isScheduled && rule.schedule !== null ? { cronExpression: rule.schedule, timeZone: rule.timeZone } : null,
  }
}

function targetsOf(policy: PolicyAnswer): string[] {
  const tables = tableIdsOf(policy)
  const [left] = tables
  const columns: string[] = []
  if (left !== undefined) {
    const items: readonly object[] = policy.details.items
    for (const item of items) {
      if ('isArchived' in item && item.isArchived === true) continue
      for (const name of columnsOf(item)) columns.push(columnTarget(left, name))
    }
  }
  if ('columnMappings' in policy.details && 'rightBackingAsset' in policy.rule && left !== undefined) {
    const right = policy.rule.rightBackingAsset.tableAssetId
    for (const { leftColumnName, rightColumnName, isArchived } of policy.details.columnMappings) {
      if (isArchived) continue
      columns.push(columnTarget(left, leftColumnName), columnTarget(right, rightColumnName))
    }
  }
  return [...new Set([...tables.map(String), ...columns])]
}

/** An item of any type names one column, several, or none. */
function columnsOf(item: object): string[] {
  const one = 'columnName' in item && typeof item.columnName === 'string' ? [item.columnName] : []
  const several = 'monitorColumns' in item && Array.isArray(item.monitorColumns) ? item.monitorColumns : []
  return [...one, ...several.filter((name) => typeof name === 'string')]
}

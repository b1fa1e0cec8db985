import type { Documents } from '@assay/documents'
import { settingsOf } from '../copies/asset-settings.ts'
import { executionPolicies, type PolicyCopy } from '../copies/policies.ts'

/**
 * The zone whose days and hours are the seasons of a policy's series: that of its table, else that of its schedule, so
 * that runs after midnight keep their day when clocks change. `null` means UTC. Pure.
 */
export function seasonZone(ofTable: string | null, rule: PolicyCopy['policy']['rule'] | undefined): string | null {
  return ofTable ?? (rule?.schedule == null ? null : rule.timeZone)
}

/** `seasonZone` of the current version of a policy. */
export async function readSeasonZone(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  { policyId, assetId }: { policyId: number; assetId: number },
): Promise<string | null> {
  const { timeZone } = await settingsOf(documents, tenant, assetId)
  if (timeZone !== null) return timeZone
  return seasonZone(null, (await documents.get(executionPolicies, tenant, policyId))?.document.policy.rule)
}

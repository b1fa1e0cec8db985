import type { Reservations } from '@assay/event-store'
import { isAssayError } from '@assay/service-kit/errors'

/** Names of policies: unique in a tenant, compared exactly, free again once archived. */
export interface PolicyNames {
  /** Error: `taken`. */
  hold(tenant: string, name: string, policyId: number): Promise<void>
  /** The policy has the name now. What a crash leaves undone, the follower of the log does. */
  confirm(tenant: string, name: string, policyId: number): Promise<void>
  /** A policy that took the name again meanwhile (by being unarchived, or called as before) keeps it. */
  release(tenant: string, name: string, policyId: number): Promise<void>
}

const scope = 'policy'

/** `currentName`: what the policy is called by the log; `null` where it is archived or not there. */
export function createPolicyNames(
  reservations: Reservations,
  currentName: (tenant: string, policyId: number) => Promise<string | null>,
): PolicyNames {
  async function confirm(tenant: string, name: string, policyId: number): Promise<void> {
    try {
      await reservations.confirm(tenant, scope, name, String(policyId))
    } catch (error) {
      // Held for more than a minute without the policy being written, and then given to another: nothing to mend here.
      if (!isAssayError(error, 'taken')) throw error
    }
  }
  return {
    hold: (tenant, name, policyId) => reservations.hold(tenant, scope, name, String(policyId)),
    confirm,
    async release(tenant, name, policyId) {
      // Whoever releases has looked at the policy before: an owner's own hold and a late release cannot be told apart.
      await reservations.release(tenant, scope, name, String(policyId))
      if ((await currentName(tenant, policyId)) === name) await confirm(tenant, name, policyId)
    },
  }
}

import type { Reservations } from '@assay/event-store'
import { isAssayError } from '@assay/service-kit/errors'

/** Names of policies: unique in a tenant, compared exactly, free again once archived. */
export interface PolicyNames {
  /** Error: `taken`. */
  hold(tenant: string, name: string, policyId: number): Promise<void>
  /** The policy has the name now. What a crash leaves undone, the follower of the log does. */
  confirm(tenant: string, name: string, policyId: number): Promise<void>
  release(tenant: string, name: string, policyId: number): Promise<void>
}

const scope = 'policy'

export function createPolicyNames(reservations: Reservations): PolicyNames {
  return {
    hold: (tenant, name, policyId) => reservations.hold(tenant, scope, name, String(policyId)),
    async confirm(tenant, name, policyId) {
      try {
        await reservations.confirm(tenant, scope, name, String(policyId))
      } catch (error) {
        // Held for more than a minute without the policy being written, and then given to another: nothing to mend here.
        if (!isAssayError(error, 'taken')) throw error
      }
    },
    release: (tenant, name, policyId) => reservations.release(tenant, scope, name, String(policyId)),
  }
}

import type { Reservations } from '@assay/event-store'
import { isAssayError } from '@assay/service-kit/errors'

/** Names of policies: unique in a tenant, case-sensitive, free again once archived. */
export interface PolicyNames {
  /** Throws `taken`. */
  hold(tenant: string, name: string, policyId: number): Promise<void>
  /** The policy has the name now. After a crash the processor of the log confirms it. */
  confirm(tenant: string, name: string, policyId: number): Promise<void>
  /** Frees the name, unless the policy has it again, because it was unarchived or renamed back meanwhile. */
  release(tenant: string, name: string, policyId: number): Promise<void>
}

const scope = 'policy'

/** `currentName`: the policy's name in the log; `null` if it is archived or missing. */
export function createPolicyNames(
  reservations: Reservations,
  currentName: (tenant: string, policyId: number) => Promise<string | null>,
): PolicyNames {
  async function confirm(tenant: string, name: string, policyId: number): Promise<void> {
    try {
      await reservations.confirm(tenant, scope, name, String(policyId))
    } catch (error) {
      // The reservation expired before the policy was written, and another policy has the name. Nothing to repair.
      if (!isAssayError(error, 'taken')) throw error
    }
  }
  return {
    hold: (tenant, name, policyId) => reservations.hold(tenant, scope, name, String(policyId)),
    confirm,
    async release(tenant, name, policyId) {
      // The policy may have reserved the name again since the caller read it. A release would end that reservation too.
      await reservations.release(tenant, scope, name, String(policyId))
      if ((await currentName(tenant, policyId)) === name) await confirm(tenant, name, policyId)
    },
  }
}

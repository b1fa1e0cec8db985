import type { Caller } from '@assay/service-kit'
import type { PolicyRequest } from './copies/find-policy.ts'

/** The tenant of a call, and the positions that it has seen of the policy service. */
export function policyRequest(call: Pick<Caller, 'identity' | 'seen' | 'signal'>): PolicyRequest {
  return { tenant: call.identity.tenant, seen: call.seen.get('policy'), signal: call.signal }
}

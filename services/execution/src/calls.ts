import type { Caller } from '@assay/service-kit'
import type { PolicyRequest } from './copies/find-policy.ts'

/** Whose policy a call asks for, and what it has seen of it. */
export function policyRequest(call: Pick<Caller, 'identity' | 'seen' | 'signal'>): PolicyRequest {
  return { tenant: call.identity.tenant, seen: call.seen.get('policy'), signal: call.signal }
}

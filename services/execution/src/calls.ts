import type { Operation } from '@assay/contracts'
import type { CommandContext } from '@assay/event-store'
import type { Call, Identity } from '@assay/service-kit'
import type { PolicyRequest } from './copies/find-policy.ts'

/** What every call has, whatever its operation. */
export type Caller = Pick<Call<Operation>, 'requestId' | 'client' | 'traceparent' | 'seen' | 'signal'> & {
  identity: Identity
}

/** On whose behalf a call's commands run. */
export function commandContext(call: Caller): CommandContext {
  const { identity, requestId, traceparent } = call
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId, traceparent }
}

/** Whose policy a call asks for, and what it has seen of it. */
export function policyRequest(call: Caller): PolicyRequest {
  return { tenant: call.identity.tenant, seen: call.seen.get('policy'), signal: call.signal }
}

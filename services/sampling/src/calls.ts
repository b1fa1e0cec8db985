import type { Operation } from '@assay/contracts'
import type { CommandContext } from '@assay/event-store'
import type { Call, Identity } from '@assay/service-kit'

/** What every call has, whatever its operation. */
export type Caller = Pick<Call<Operation>, 'requestId' | 'traceparent' | 'seen' | 'signal'> & { identity: Identity }

/** On whose behalf a call's commands run. */
export function commandContext(call: Caller): CommandContext {
  const { identity, requestId, traceparent } = call
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId, traceparent }
}

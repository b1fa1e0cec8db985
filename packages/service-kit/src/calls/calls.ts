import type { Operation } from '@assay/contracts'
import type { Call, Identity } from '../http/handler.ts'

/** What every call has, whatever its operation. */
export type Caller = Pick<Call<Operation>, 'requestId' | 'client' | 'seen' | 'signal' | 'ignore'> & {
  identity: Identity
}

/** On whose behalf a call's commands run, as the event store's command handler takes it. */
export function commandContext({
  identity,
  requestId,
}: Pick<Caller, 'requestId'> & { identity: Pick<Identity, 'user' | 'accessKey'> }) {
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId }
}

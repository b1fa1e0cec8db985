import type { Operation, ServiceName } from '@assay/contracts'
import type { Call, Identity } from '../http/handler.ts'

/** The fields of every call, whatever its operation. */
export type Caller = Pick<Call<Operation>, 'requestId' | 'client' | 'seen' | 'signal' | 'ignore'> & {
  identity: Identity
}

/** The context of a call's commands, for the event store's command handler. */
export function commandContext({
  identity,
  requestId,
}: Pick<Caller, 'requestId'> & { identity: Pick<Identity, 'user' | 'accessKey'> }) {
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId }
}

/** What the caller has seen of a service, for a wait until a local read model includes it. */
export function seenOf(
  { identity: { tenant, accessKey }, seen, signal }: Pick<Caller, 'identity' | 'seen' | 'signal'>,
  of: ServiceName,
) {
  return { tenant, caller: accessKey, seen: seen.get(of), signal }
}

import type { gatewayOperations } from '@assay/contracts'
import type { CommandContext } from '@assay/event-store'
import type { Call } from '@assay/service-kit'

type AnyCall = Pick<Call<typeof gatewayOperations.listApiKeys>, 'identity' | 'requestId'>

/** The actor and request of a change, which its events carry. */
export function contextOf({ identity, requestId }: AnyCall): CommandContext {
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId }
}

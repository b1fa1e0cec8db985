import type { gatewayOperations } from '@assay/contracts'
import type { CommandContext } from '@assay/event-store'
import type { Call } from '@assay/service-kit'

type AnyCall = Pick<Call<typeof gatewayOperations.listApiKeys>, 'identity' | 'requestId'>

/** Who asked for a change, and in which request: what the events of it carry. */
export function contextOf({ identity, requestId }: AnyCall): CommandContext {
  return { actor: identity.user, accessKey: identity.accessKey, correlationId: requestId }
}

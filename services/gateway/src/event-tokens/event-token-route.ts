import { gatewayOperations } from '@assay/contracts'
import { isoTime, type Route, route } from '@assay/service-kit'
import type { TokenFor } from '../authentication/authenticator.ts'

/** The operation that issues a token for the stream of events. */
export function eventTokenRoute({ tokenFor }: { tokenFor: TokenFor }): Route {
  return route(gatewayOperations.createEventsToken, async (call) => {
    const { token, expiresAt } = tokenFor(call.identity, call.body?.ttlSeconds ?? 60)
    return { body: { token, expiresAt: isoTime(expiresAt) } }
  })
}

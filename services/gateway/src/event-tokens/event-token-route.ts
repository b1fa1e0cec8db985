import { gatewayOperations } from '@assay/contracts'
import { isoTime, type Route, route } from '@assay/service-kit'
import type { EventTokens } from './event-tokens.ts'

/** The operation that issues a token for the stream of events. */
export function eventTokenRoute({ eventTokens }: { eventTokens: EventTokens }): Route {
  return route(gatewayOperations.createEventsToken, async (call) => {
    const { token, expiresAt } = eventTokens.issue(call.identity.accessKey, call.body?.ttlSeconds ?? 60)
    return { body: { token, expiresAt: isoTime(expiresAt) } }
  })
}

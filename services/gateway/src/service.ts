import type { CollectionShape } from '@assay/documents'
import {
  type AnyAggregate,
  createCommandHandler,
  createReadYourWrites,
  notingWrites,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import { messageOf, type Service } from '@assay/service-kit'
import { auditRoutes } from './audit/audit-routes.ts'
import { auditLines, linesMissing } from './audit/collection.ts'
import { feedAudit } from './audit/feed.ts'
import { createOwnAudit } from './audit/own-events.ts'
import { type Authenticator, createAuthenticator } from './authentication/authenticator.ts'
import { createKnownKeys } from './authentication/known-keys.ts'
import { clientRoutes } from './clients/client-routes.ts'
import { defaultTenant, type GatewayDependencies, systemTenant } from './dependencies.ts'
import { eventTokenRoute } from './event-tokens/event-token-route.ts'
import { type AdministratorPair, createFirstStart } from './first-start/first-start.ts'
import { type AnsweredPositions, createAnsweredPositions } from './http/answered-positions.ts'
import { apiKeys, apiKeyUses, keyAggregate } from './key/aggregate.ts'
import { createKeyCommands } from './keys/key-commands.ts'
import { keyRoutes } from './keys/key-routes.ts'
import { createKeyUses } from './keys/key-uses.ts'
import { userKeyRoutes } from './keys/user-key-routes.ts'
import { createPublisher } from './publishing/publisher.ts'
import { serviceUserAggregate, serviceUsers } from './service-user/aggregate.ts'
import { serviceUserRoutes } from './service-users/service-user-routes.ts'
import { storedBytes } from './stored-bytes/collection.ts'
import { createStoredBytes, type StoredBytes } from './stored-bytes/stored-bytes.ts'
import { tenantAggregate, tenants } from './tenant/tenant.ts'
import { tenantRoutes } from './tenant/tenant-routes.ts'

export type { GatewayDependencies } from './dependencies.ts'
export { createEventTokens } from './event-tokens/event-tokens.ts'
export type { AdministratorPair } from './first-start/first-start.ts'
export { createGatewayApp } from './http/app.ts'
export { keyAggregate } from './key/aggregate.ts'
export { keyMessageOf } from './publishing/key-message.ts'

/** Collections of the gateway, for the adapter that creates their tables. */
export const gatewayCollections: readonly CollectionShape[] = [
  tenants,
  apiKeys,
  serviceUsers,
  apiKeyUses,
  auditLines,
  storedBytes,
  streamSnapshots,
]
/**
 * Collections that a rebuild keeps. Key uses have no events, because an append per request would cost more than the
 * request; a crash loses at most 15 s of them. Audit lines derive from the logs of all services, and no service reads
 * all logs; only the checker of the fault tests does, and compares the lines. Stored bytes are counted from a checkpoint.
 */
export const gatewayKeptCollections = [apiKeyUses.name, auditLines.name, storedBytes.name]

/** For the repair and the rebuild of documents. */
export const gatewayAggregates: readonly AnyAggregate[] = [tenantAggregate, keyAggregate, serviceUserAggregate]

/** Tenants and key pairs: who is admitted, and as whom. */
export interface GatewayService extends Service {
  /** The recent write positions of each key, by service: the audit waits for their lines. */
  writes: AnsweredPositions
  /** Throws `forbidden` if the tenant has used up its storage. */
  requireRoom: StoredBytes['requireRoom']
  authenticator: Authenticator
  /** Initialises an empty installation; returns the administrator's pair on the first start and `undefined` later. */
  firstStart(): Promise<AdministratorPair | undefined>
}

/** Maximum number of positions per service and key: more writes than a caller makes before it reads the audit. */
const maxWrites = 32

export function createGatewayService(deps: GatewayDependencies): GatewayService {
  const { documents, clock, bus, timers } = deps
  const handler = createCommandHandler({ ...deps, commit: notingWrites(deps.commit, () => true) })
  const knownKeys = createKnownKeys(deps)
  const uses = createKeyUses(deps)
  const authenticator = createAuthenticator({ ...deps, knownKeys, uses })
  const commands = createKeyCommands({ handler, knownKeys, clock })
  // The message of a write may be at the end of a long queue.
  const readYourWrites = createReadYourWrites({ timers, missing: linesMissing(documents), timeoutMs: 10_000 })
  const ownAudit = createOwnAudit(deps)
  const publisher = createPublisher({
    ...deps,
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      deps.logger.error(about, 'the state of a key was not published')
    },
  })
  const stored = createStoredBytes({ ...deps, maxBytes: deps.maxTenantBytes ?? 0 })
  const writes = createAnsweredPositions(clock, maxWrites)
  let subscription: Subscription | undefined
  return {
    name: 'gateway',
    routes: [
      ...keyRoutes({ ...deps, commands, uses }),
      ...userKeyRoutes({ ...deps, commands }),
      ...serviceUserRoutes({ ...deps, handler, commands }),
      ...tenantRoutes({ ...deps, handler, commands }),
      ...auditRoutes({ documents, readYourWrites, writes }),
      ...clientRoutes(deps),
      eventTokenRoute(authenticator),
    ],
    writes,
    requireRoom: stored.requireRoom,
    authenticator,
    firstStart: createFirstStart({ ...deps, handler, commands }),
    async start() {
      uses.start()
      subscription = await feedAudit({ bus, documents })
      await ownAudit.start()
      await publisher.start()
      await stored.start()
    },
    async stop() {
      await subscription?.close()
      subscription = undefined
      await stored.stop()
      await publisher.stop()
      await ownAudit.stop()
      await uses.stop()
    },
    async problems() {
      try {
        await documents.get(tenants, systemTenant, defaultTenant)
        // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
        // replica out of service.
        return []
      } catch (error) {
        return [`Keys cannot be looked up: ${messageOf(error)}`]
      }
    },
  }
}

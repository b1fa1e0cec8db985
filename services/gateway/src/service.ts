import type { CollectionShape } from '@assay/documents'
import { type AnyAggregate, createCommandHandler } from '@assay/event-store'
import { type Identity, messageOf, type Service } from '@assay/service-kit'
import { createAuthenticator } from './authentication/authenticator.ts'
import type { Headers } from './authentication/credentials.ts'
import { createKnownKeys } from './authentication/known-keys.ts'
import { defaultTenant, type GatewayDependencies, systemTenant } from './dependencies.ts'
import { type AdministratorPair, createFirstStart } from './first-start/first-start.ts'
import { apiKeys, apiKeyUses, keyAggregate } from './key/aggregate.ts'
import { createKeyCommands } from './keys/key-commands.ts'
import { keyRoutes } from './keys/key-routes.ts'
import { createKeyUses } from './keys/key-uses.ts'
import { tenantAggregate, tenants } from './tenant/tenant.ts'
import { tenantRoutes } from './tenant/tenant-routes.ts'

export type { GatewayDependencies } from './dependencies.ts'
export type { AdministratorPair } from './first-start/first-start.ts'
export { createGatewayApp } from './http/app.ts'

/** Kinds of documents that the gateway keeps, for the adapter that makes their tables. */
export const gatewayCollections: readonly CollectionShape[] = [tenants, apiKeys, apiKeyUses]

/** For the repair and the rebuild of documents. */
export const gatewayAggregates: readonly AnyAggregate[] = [tenantAggregate, keyAggregate]

/** Tenants and key pairs: who may come in, and as whom. */
export interface GatewayService extends Service {
  /** Who sent a request with these headers. Errors: `unauthenticated` whatever is wrong, `unavailable`. */
  authenticate(headers: Headers): Promise<Identity>
  /** Makes what a new Assay needs; answers the administrator's pair on the first start and `undefined` on later ones. */
  firstStart(): Promise<AdministratorPair | undefined>
}

export function createGatewayService(deps: GatewayDependencies): GatewayService {
  const { documents, clock } = deps
  const handler = createCommandHandler(deps)
  const knownKeys = createKnownKeys(deps)
  const uses = createKeyUses(deps)
  const commands = createKeyCommands({ handler, knownKeys, clock })
  return {
    name: 'gateway',
    routes: [...keyRoutes({ ...deps, commands, uses }), ...tenantRoutes({ ...deps, handler, commands })],
    authenticate: createAuthenticator({ knownKeys, uses, clock }),
    firstStart: createFirstStart({ ...deps, handler, commands }),
    async start() {
      uses.start()
    },
    stop: () => uses.stop(),
    async problems() {
      try {
        await documents.get(tenants, systemTenant, defaultTenant)
        return []
      } catch (error) {
        return [`Keys cannot be looked up: ${messageOf(error)}`]
      }
    },
  }
}

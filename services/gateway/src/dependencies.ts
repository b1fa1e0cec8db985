import type { ServicePorts } from '@assay/hosting/ports'
import type { EventTokens } from './event-tokens/event-tokens.ts'

/** Dependencies of the gateway. The bus feeds its audit. */
export interface GatewayDependencies extends ServicePorts {
  /** Assay's version from package.json. */
  version: string
  /** Build time from package.json, ISO 8601, if it is there. */
  buildDate?: string | undefined
  /** Maximum bytes of events per tenant. 0, the default, means no limit. */
  maxTenantBytes?: number
  eventTokens: EventTokens
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  /** The administrator's pair, if the operator chose one. 16 to 128 characters of `A-Za-z0-9_-` each. */
  presetAdmin?: { accessKey: string; secretKey: string }
}

/** Tenant of the streams of tenants and keys: a key is looked up before its tenant is known. */
export const systemTenant = 'assay'

/** The tenant that the first start creates. */
export const defaultTenant = 'default'

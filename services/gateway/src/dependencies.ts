import type { ServicePorts } from '@assay/hosting/ports'

/** What the gateway is given. What the other services tell on the bus is for its audit. */
export interface GatewayDependencies extends ServicePorts {
  /** Of Assay, as package.json says it. */
  version: string
  /** When it was built, ISO 8601, where package.json says it. */
  buildDate?: string | undefined
  /** Bytes of events that each tenant may store. 0, the default: no limit. */
  maxTenantBytes?: number
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  /** The administrator's pair, where the operator chose it. 16 to 128 characters of `A-Za-z0-9_-` each. */
  presetAdmin?: { accessKey: string; secretKey: string }
}

/** Whose streams hold tenants and keys: a key is looked up before anybody knows its tenant. */
export const systemTenant = 'assay'

/** The tenant that the first start makes. */
export const defaultTenant = 'default'

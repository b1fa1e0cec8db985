/** The Kafka brokers, `host:port`, that sources of one tenant may name; `null` means any broker. */
export type BrokerAccess = readonly string[] | null

/** A broker that the operator lists. `tenant`: a tenant's name, or `*` for all tenants. */
export interface AllowedBroker {
  tenant: string
  broker: string
}

const defaultTenant = 'default'

/** `host:port` of a broker: a name, an IPv4 address or an IPv6 address in brackets. */
export const brokerPattern = /^(\[[\da-f:]{2,45}\]|[a-z\d]([a-z\d._-]{0,252}))(?::)(\d{1,5})$/i

/**
 * Parses `tenant=host:port`, or `host:port` alone, which is for the tenant `default`. `undefined` for anything else.
 */
export function parseAllowedBroker(text: string): AllowedBroker | undefined {
  const [, tenant = defaultTenant, broker = ''] = /^(?:(\*|[a-z][a-z0-9-]{0,62})=)?(.+)$/s.exec(text) ?? []
  return brokerPattern.test(broker) ? { tenant, broker: broker.toLowerCase() } : undefined
}

/**
 * The brokers of each tenant. Without a list, the tenant `default` of the embedded form may name any broker. All other
 * tenants, and all tenants of the distributed form, may name only listed brokers.
 */
export function brokerAccessOf(options: {
  listed: readonly AllowedBroker[] | undefined
  isEmbedded: boolean
}): (tenant: string) => BrokerAccess {
  const { listed, isEmbedded } = options
  return (tenant) => {
    if (isEmbedded && listed === undefined && tenant === defaultTenant) return null
    return (listed ?? []).filter((one) => one.tenant === '*' || one.tenant === tenant).map(({ broker }) => broker)
  }
}

/** Why a broker may not be used, as the end of a sentence; `null` if it may. */
export function brokerRefusal(access: BrokerAccess, broker: string): string | null {
  if (access === null || access.includes(broker.toLowerCase())) return null
  return 'is not among the brokers that sources may be read from: the operator lists them in ASSAY_ALLOWED_BROKERS'
}

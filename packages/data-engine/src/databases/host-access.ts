import { BlockList, isIPv4 } from 'node:net'
import { embeddedIpv4 } from '@assay/service-kit/addresses'
import { isHost } from './settings.ts'

/** The hosts that sources of one tenant may name; `null` means any host. `port`: null means any port. */
export type HostAccess = readonly Pick<AllowedHost, 'host' | 'port'>[] | null

/** A host that the operator lists. `tenant`: a tenant's name, or `*` for all tenants. */
export interface AllowedHost {
  tenant: string
  host: string
  port: number | null
}

const defaultTenant = 'default'

/**
 * Parses `tenant=host:port` or `tenant=host`. Without a tenant, the host is for the tenant `default`. `undefined` for
 * anything else.
 */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const [, tenant = defaultTenant, rest = ''] = /^(?:(\*|[a-z][a-z0-9-]{0,62})=)?(.+)$/s.exec(text) ?? []
  const [, inBrackets, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(rest) ?? []
  const host = inBrackets ?? plain ?? rest
  return isHost(host) ? { tenant, host: host.toLowerCase(), port: port ? Number(port) : null } : undefined
}

/**
 * The hosts of each tenant. Without a list, the tenant `default` of the embedded form may name any host. All other
 * tenants, and all tenants of the distributed form, may name only listed hosts.
 */
export function hostAccessOf(options: {
  listed: readonly AllowedHost[] | undefined
  isEmbedded: boolean
}): (tenant: string) => HostAccess {
  const { listed, isEmbedded } = options
  return (tenant) => {
    if (isEmbedded && listed === undefined && tenant === defaultTenant) return null
    return (listed ?? []).filter((one) => one.tenant === '*' || one.tenant === tenant)
  }
}

/** Why a host may not be used, as the end of a sentence; `null` if it may. */
export function hostRefusal(access: HostAccess, { host, port }: { host: string; port: number }): string | null {
  const isListed = (one: Pick<AllowedHost, 'host' | 'port'>) =>
    one.host === host.toLowerCase() && (one.port === null || one.port === port)
  if (access === null || access.some(isListed)) return null
  return 'is not among the hosts that sources may be read from: the operator lists them in ASSAY_ALLOWED_HOSTS'
}

const never = new BlockList()
const forbidden: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  // Unspecified, link-local, multicast and broadcast.
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // Metadata services of clouds that are not link-local.
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
]
for (const [network, prefix, family] of forbidden) never.addSubnet(network, prefix, family)

/**
 * Whether connections to an address are always refused: it is link-local, a metadata service, or the address of no
 * host.
 */
export function isForbiddenAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  const inside = embeddedIpv4(plain)
  if (inside !== undefined) return isForbiddenAddress(inside)
  return never.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}

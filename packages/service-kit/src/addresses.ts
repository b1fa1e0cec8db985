import { BlockList, isIP, isIPv4 } from 'node:net'

/** Networks whose addresses are not public: private, special, or for documentation (IANA's registries). */
const special: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  // A metadata service of a cloud at a public address.
  ['168.63.129.16', 32, 'ipv4'],
  // Tunnels (6to4, Teredo) lead to an IPv4 address that their own address contains.
  ['2002::', 16, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
]
const notPublic = new BlockList()
for (const [network, prefix, family] of special) notPublic.addSubnet(network, prefix, family)
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/** The IPv4 address that an IPv6 address stands for (mapped, or translated by NAT64). */
export function embeddedIpv4(address: string): string | undefined {
  const [, dotted, high = '', low = ''] =
    /^(?:(?:0*:)*:?(?:0*:)*ffff:|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(address) ?? []
  if (dotted !== undefined) return dotted
  if (high === '') return undefined
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}

/** Networks that the operator lists: `10.0.0.0/8`, `fd00::/8` or single addresses. */
export interface Networks {
  has(address: string): boolean
}

/** The networks of a list; `undefined` if one of them is malformed. */
export function networksOf(texts: readonly string[]): Networks | undefined {
  const list = new BlockList()
  for (const text of texts) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const family = isIP(address)
    const bits = family === 4 ? 32 : 128
    if (family === 0 || Number(prefix ?? bits) > bits) return undefined
    list.addSubnet(address, Number(prefix ?? bits), family === 4 ? 'ipv4' : 'ipv6')
  }
  return { has: (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') }
}

/**
 * Whether a message may be sent to this address: it is public, or in one of the networks that the operator allows. An
 * IPv6 address that stands for an IPv4 address counts as the latter.
 */
export function isReachableAddress(address: string, allowed: Networks): boolean {
  const [plain = ''] = address.split('%')
  const inside = embeddedIpv4(plain)
  if (inside !== undefined) return isReachableAddress(inside, allowed)
  if (allowed.has(plain)) return true
  if (isIPv4(plain)) return !notPublic.check(plain, 'ipv4')
  return isIP(plain) === 6 && unicast.check(plain, 'ipv6') && !notPublic.check(plain, 'ipv6')
}

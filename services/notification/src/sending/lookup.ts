import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { isReachableAddress, type Networks } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<readonly Pick<LookupAddress, 'address' | 'family'>[]>

const refusedPlain = () =>
  new AssayError(
    'invalid',
    'configuration.url: messages are sent over https:// only, except to addresses in ASSAY_NOTIFY_ALLOWED_ADDRESSES.',
    { details: { field: 'url' } },
  )

const refused = (host: string) =>
  new AssayError(
    'invalid',
    `configuration.url: ${host} has an address that is not public. The operator allows such addresses in ASSAY_NOTIFY_ALLOWED_ADDRESSES.`,
    { details: { field: 'url' } },
  )

/** A host in the form that the resolver expects: without the brackets that URLs put around IPv6 addresses. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Decides which receivers messages are sent to. */
export interface ReceiverCheck {
  /** Throws `invalid` if a channel may not have this address. A host that does not resolve now passes. */
  checkUrl(url: URL): Promise<void>
  /** Checks a host that is an address, because no lookup is made for it. Throws `invalid`. */
  checkLiteral(url: URL): void
  /** Resolves a name for a TLS connection, and fails if one of its addresses is refused. */
  lookup: LookupFunction
  /** The same for a plain connection, whose addresses must all be allowed by the operator. */
  lookupPlain: LookupFunction
}

export function createReceiverCheck(deps: { allowed: Networks; lookup?: Lookup | undefined }): ReceiverCheck {
  const { allowed, lookup = (host) => systemLookup(host, { all: true }) } = deps
  const isRefused = ({ address }: Pick<LookupAddress, 'address'>) => !isReachableAddress(address, allowed)

  function checkLiteral(url: URL): void {
    const host = hostOf(url)
    if (isIP(host) === 0) return
    if (isRefused({ address: host })) throw refused(host)
    if (url.protocol !== 'https:' && !allowed.has(host)) throw refusedPlain()
  }

  async function reached(host: string) {
    const found = await lookup(host).catch((cause: unknown) => {
      throw new AssayError('unavailable', `The host ${host} was not found.`, { cause })
    })
    if (found.length === 0) throw new AssayError('unavailable', `The host ${host} has no address.`)
    if (found.some(isRefused)) throw refused(host)
    return found
  }

  const resolving =
    (isPlain: boolean): LookupFunction =>
    (host, options, callback) => {
      reached(host).then(
        (found) => {
          if (isPlain && !found.every(({ address }) => allowed.has(address))) return callback(refusedPlain(), '')
          const all = found.map(({ address, family }) => ({ address, family }))
          const [first] = all
          if (options.all === true) callback(null, all)
          else if (first !== undefined) callback(null, first.address, first.family)
        },
        (error: Error) => callback(error, ''),
      )
    }

  return {
    checkLiteral,
    async checkUrl(url) {
      checkLiteral(url)
      const host = hostOf(url)
      const found = isIP(host) === 0 ? await lookup(host).catch(() => []) : [{ address: host }]
      if (found.some(isRefused)) throw refused(host)
      if (url.protocol === 'https:' || (found.length > 0 && found.every(({ address }) => allowed.has(address)))) return
      throw refusedPlain()
    },
    lookup: resolving(false),
    lookupPlain: resolving(true),
  }
}

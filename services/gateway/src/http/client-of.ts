import type { IncomingMessage } from 'node:http'
import type { Identity } from '@assay/service-kit'
import type { Sender } from './answered-positions.ts'

/** The addresses of this machine count as one, because `localhost` is sometimes one, sometimes the other. */
const loopback = /^(::1|(::ffff:)?127\..*)$/

/**
 * Names the client of a request for what it has written and seen: the tenant and the address of the connection. Programs
 * that use several keys at one address see each other's writes, as do all clients behind one proxy.
 */
function clientOf(
  request: { socket: Pick<IncomingMessage['socket'], 'remoteAddress'> },
  { tenant }: Pick<Identity, 'tenant'>,
): string {
  const { remoteAddress = '' } = request.socket
  return `${tenant} ${loopback.test(remoteAddress) ? 'loopback' : remoteAddress}`
}

/** The sender of a request. */
export function senderOf(
  request: Parameters<typeof clientOf>[0],
  identity: Pick<Identity, 'tenant' | 'accessKey'>,
): Sender {
  return { accessKey: identity.accessKey, client: clientOf(request, identity) }
}

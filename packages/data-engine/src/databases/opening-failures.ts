import { messageOf } from '@assay/service-kit/errors'
import type { DatabaseSource } from '../dataset.ts'
import type { DatabasePlace } from './place.ts'

const network: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at {at}. Check host and port, and whether the server accepts connections from here.',
  EHOSTUNREACH: '{at} cannot be reached through the network.',
  ENETUNREACH: '{at} cannot be reached through the network.',
  ECONNRESET: '{at} ended the connection before it was open. Check whether a {server} server listens there.',
}

const untrusted =
  'TLS failed, because the certificate of the server is not trusted, has expired or is of another host. Set tlsCa.'

const codesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return []
  return ['code' in error ? String(error.code) : '', ...codesOf(error.cause)].filter((code) => code !== '')
}

/**
 * Why a connection failed, if the network or TLS is the reason; `{at}` stands for host and port. `server`: the kind of
 * server that was expected there.
 */
export function networkSentence(
  error: unknown,
  {
    host,
    port,
    connectTimeoutSeconds,
  }: Pick<DatabasePlace, 'host' | 'port'> & Pick<DatabaseSource, 'connectTimeoutSeconds'>,
  server: string,
): string | undefined {
  const codes = codesOf(error)
  const known = codes.flatMap((code) => network[code] ?? [])[0]
  if (known !== undefined) return known.replace('{server}', server)
  if (codes.some((code) => /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/.test(code))) return untrusted
  // The driver of MariaDB replaces the code of a failed TLS connection, and keeps its message.
  const isTls = codes.some((code) => code.startsWith('ERR_SSL') || code === 'EPROTO' || code === 'HANDSHAKE_SSL_ERROR')
  if (isTls && /certificate/i.test(messageOf(error))) return untrusted
  if (isTls) return 'TLS failed, because the server supports no protocol version that Assay supports.'
  if (codes.includes('ETIMEDOUT') || /timeout/i.test(messageOf(error)))
    return `${host}:${port} did not answer within ${connectTimeoutSeconds} seconds.`
  return undefined
}

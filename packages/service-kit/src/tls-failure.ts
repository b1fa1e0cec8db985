import { messageOf } from './errors.ts'

/**
 * Why a TLS handshake failed. `untrusted`: the client does not trust the server's certificate. `not-admitted`: the
 * server does not trust the client's certificate, or requires one. `without-tls`: the server does not speak TLS.
 */
export type TlsFailure = 'untrusted' | 'not-admitted' | 'without-tls'

const notAdmitted = /\balert (?:[a-z]* ?certificate|unknown ca|handshake failure)/i
/** Node's codes for a certificate that is for another host, or from an untrusted authority. */
const untrustedCode = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/
/** For drivers that report only the text of an error. */
const untrustedText = /certificate|CERT_/i
const withoutTls = /before secure TLS connection|wrong version number|packet length too long|record layer/i

/** The innermost cause of an error, or the error itself. */
export function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error
}

/** Why the TLS handshake with a server failed, from the innermost cause. `undefined` if the handshake did not fail. */
export function tlsFailureOf(error: unknown): TlsFailure | undefined {
  const root = rootOf(error)
  const code = root instanceof Error && 'code' in root && typeof root.code === 'string' ? root.code : ''
  const text = messageOf(root)
  if (notAdmitted.test(text)) return 'not-admitted'
  if (untrustedCode.test(code) || untrustedText.test(text)) return 'untrusted'
  return withoutTls.test(text) ? 'without-tls' : undefined
}

/** Advice for an untrusted certificate. `where`: where to set the file of the authority, such as 'with tlsCAFile'. */
export function trustAdvice(where: string): string {
  return `Set the file of its authority ${where}, use a host name that the certificate covers, and check that it has not expired.`
}

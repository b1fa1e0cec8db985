import { type Metadata, ServerCredentials, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

/** Which clients the server admits, and how. */
export interface Admission {
  /** Speaks TLS only, with this certificate and key (PEM). */
  tls?: {
    certificate: string
    key: string
    /** PEM: connections must show a certificate that this authority has signed. */
    clientAuthority?: string | undefined
  }
  /** Every call must have this user and password. */
  user?: { name: string; password: string }
}

export function serverCredentials({ tls }: Admission = {}): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) }
  const { clientAuthority } = tls
  const authority = clientAuthority === undefined ? null : Buffer.from(clientAuthority)
  return ServerCredentials.createSsl(authority, [pair], authority !== null)
}

/**
 * Refuses calls without the right user, as real servers do: UNAUTHENTICATED. Calls `onAuthorization` with the
 * authorization of each call.
 */
export function authInterceptor(
  { user }: Admission,
  onAuthorization: (authorization: string | undefined) => void,
): ServerInterceptor {
  const wanted = user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata: Metadata, pass) {
            const authorization = metadata.get('authorization').at(0)?.toString()
            onAuthorization(authorization)
            if (wanted === undefined || authorization === wanted) pass(metadata)
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: 'Unauthenticated' })
          },
        })
      },
    })
}

import { type Identity, type IdentitySigner, identityHeader } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Request } from 'express'
import { isInternal } from './access-key.ts'

/** The identity in a request of another service. Throws `unauthenticated` without a valid token of a service. */
export function callingService(signer: Pick<IdentitySigner, 'verify'>, request: Request): Identity {
  const token = request.headers[identityHeader]
  const identity = signer.verify(typeof token === 'string' ? token : undefined)
  if (!identity || !isInternal(identity.accessKey))
    throw new AssayError('unauthenticated', 'The identity token of a service is missing or not valid.')
  return identity
}

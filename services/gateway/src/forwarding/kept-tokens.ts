import type { Clock, Identity, IdentitySigner } from '@assay/service-kit'

/** Of the minute that a token is valid for, enough is left for a request and its retries. */
const keptMs = 10_000

interface Kept {
  identity: Identity
  token: string
  signedAt: number
}

/**
 * A signer that gives the same token to requests of one key for ten seconds. Identities are told apart by their set of
 * permissions, which is one object for as long as a key is held, and by all else that is signed.
 */
export function keepingTokens(signer: IdentitySigner, clock: Clock): IdentitySigner {
  const kept = new WeakMap<Identity['permissions'], Kept>()

  function isOf({ identity, signedAt }: Kept, asked: Identity, now: number): boolean {
    const age = now - signedAt
    const isSame =
      identity.accessKey === asked.accessKey && identity.user === asked.user && identity.tenant === asked.tenant
    return isSame && age >= 0 && age < keptMs
  }

  return {
    verify: (token) => signer.verify(token),
    sign(identity) {
      const now = clock.now()
      const known = kept.get(identity.permissions)
      if (known !== undefined && isOf(known, identity, now)) return known.token
      const token = signer.sign(identity)
      kept.set(identity.permissions, { identity, token, signedAt: now })
      return token
    },
  }
}

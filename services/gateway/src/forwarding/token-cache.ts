import type { Clock, Identity, IdentitySigner } from '@assay/service-kit'

/** Milliseconds to cache a token. It is valid for a minute; this leaves enough of it for a request and its retries. */
const keptMs = 10_000

interface Kept {
  identity: Identity
  token: string
  signedAt: number
}

/**
 * Reuses a signed token for requests of the same key for ten seconds. Identities are compared by their permission set
 * (one object for as long as the key is cached) and by everything else that is signed.
 */
export function withTokenCache(signer: IdentitySigner, clock: Clock): IdentitySigner {
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

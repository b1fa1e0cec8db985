import { permissions } from '@assay/contracts'
import { z } from 'zod'
import type { Clock } from '../ambient.ts'
import { createSignedClaims } from '../signed-claims.ts'
import type { Identity } from './handler.ts'

export const identityHeader = 'x-assay-identity'

/** Lifetime of a token: long enough for a request and its retries, and too short to be misused by a reader of logs. */
const validMilliseconds = 60_000

const claims = z.object({ t: z.string(), u: z.string(), k: z.string(), p: z.array(z.enum(permissions)), e: z.number() })

export interface IdentitySigner {
  sign(identity: Identity): string
  /** `undefined` for a token that has expired, or that was not signed with one of this signer's secrets. */
  verify(token: string | undefined): Identity | undefined
}

/**
 * The identity that the gateway passes to services: claims and their HMAC-SHA256, valid for a minute. `alsoAccepted`: a
 * secret that only verifies. During a rotation, processes can then sign with different secrets.
 */
export function createIdentitySigner(options: {
  secret: Uint8Array
  alsoAccepted?: Uint8Array | undefined
  clock: Clock
}): IdentitySigner {
  const signed = createSignedClaims(options)
  return {
    sign({ tenant, user, accessKey, permissions: granted }) {
      return signed.sign({
        t: tenant,
        u: user,
        k: accessKey,
        p: [...granted],
        e: options.clock.now() + validMilliseconds,
      })
    },
    verify(token) {
      const parsed = claims.safeParse(signed.verify(token))
      if (!parsed.success || parsed.data.e < options.clock.now()) return undefined
      return {
        tenant: parsed.data.t,
        user: parsed.data.u,
        accessKey: parsed.data.k,
        permissions: new Set(parsed.data.p),
      }
    },
  }
}

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { permissions } from '@assay/contracts'
import { z } from 'zod'
import type { Clock } from '../ambient.ts'
import type { Identity } from './handler.ts'

export const identityHeader = 'x-assay-identity'

/** Long enough for a request and its retries, too short to be misused by a reader of logs. */
const validMilliseconds = 60_000

const claims = z.object({ t: z.string(), u: z.string(), k: z.string(), p: z.array(z.enum(permissions)), e: z.number() })

export interface IdentitySigner {
  sign(identity: Identity): string
  /** `undefined` for a token that has expired, or that was not signed with one of this signer's secrets. */
  verify(token: string | undefined): Identity | undefined
}

/**
 * The identity between gateway and services: claims and their HMAC-SHA256, valid for a minute. `alsoAccepted`: a secret
 * that only verifies, so that processes can sign with different secrets during a rotation.
 */
export function createIdentitySigner(options: {
  secret: Uint8Array
  alsoAccepted?: Uint8Array | undefined
  clock: Clock
}): IdentitySigner {
  // With a raw key, each call would import it, at five times the cost.
  const key = createSecretKey(options.secret)
  const keys = options.alsoAccepted === undefined ? [key] : [key, createSecretKey(options.alsoAccepted)]
  const mac = (text: string, by: KeyObject = key) => createHmac('sha256', by).update(text).digest()
  return {
    sign({ tenant, user, accessKey, permissions: granted }) {
      const body = { t: tenant, u: user, k: accessKey, p: [...granted], e: options.clock.now() + validMilliseconds }
      const text = Buffer.from(JSON.stringify(body)).toString('base64url')
      return `${text}.${mac(text).toString('base64url')}`
    },
    verify(token) {
      const [text, signature, rest] = token?.split('.') ?? []
      if (!text || !signature || rest !== undefined) return undefined
      const given = Buffer.from(signature, 'base64url')
      const isSigned = keys.some((each) => {
        const wanted = mac(text, each)
        return given.length === wanted.length && timingSafeEqual(given, wanted)
      })
      if (!isSigned) return undefined
      const parsed = claims.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()))
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

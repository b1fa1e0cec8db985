import { type Clock, createSignedClaims, derivedKey } from '@assay/service-kit'
import { z } from 'zod'

const claims = z.strictObject({ events: z.string(), secret: z.string(), until: z.int() })

/** A key pair. */
export interface Issuer {
  accessKey: string
  secretId: string
}

/**
 * Tokens that open the stream of events where a client cannot send headers, such as EventSource in a browser. A token
 * stands for its key: it shows what the key may see, and fails once the key is revoked or expired, or the secret of its
 * caller ends. Nothing is stored.
 */
export interface EventTokens {
  issue(by: Issuer, ttlSeconds: number): { token: string; expiresAt: number }
  /** `undefined` for a token that was not issued here. `until`: epoch milliseconds, exclusive. */
  read(token: string): (Issuer & { until: number }) | undefined
}

/** `secret`, `alsoAccepted`: the secrets that all gateways share. */
export function createEventTokens(options: {
  secret: string
  alsoAccepted?: string | undefined
  clock: Clock
}): EventTokens {
  const keyOf = (secret: string) => Buffer.from(derivedKey(secret, 'event tokens'), 'hex')
  const signed = createSignedClaims({
    secret: keyOf(options.secret),
    alsoAccepted: options.alsoAccepted === undefined ? undefined : keyOf(options.alsoAccepted),
  })
  return {
    issue({ accessKey, secretId }, ttlSeconds) {
      const expiresAt = options.clock.now() + ttlSeconds * 1000
      return { token: signed.sign({ events: accessKey, secret: secretId, until: expiresAt }), expiresAt }
    },
    read(token) {
      const { data } = claims.safeParse(signed.verify(token))
      return data && { accessKey: data.events, secretId: data.secret, until: data.until }
    },
  }
}

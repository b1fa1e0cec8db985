import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

export interface SignedClaims {
  /** The claims as text that can be part of a URL. Anybody can read them. */
  sign(claims: object): string
  /** The claims, without further checks; `undefined` if they were not signed with one of the secrets. */
  verify(token: string | undefined): unknown
}

/**
 * Claims with their HMAC-SHA256. `alsoAccepted`: a secret that only verifies. During a rotation, processes can then
 * sign with different secrets. Each kind of token needs its own secret, or claims that no other kind has.
 */
export function createSignedClaims(options: {
  secret: Uint8Array
  alsoAccepted?: Uint8Array | undefined
}): SignedClaims {
  // A raw key would be imported by each call, at five times the cost.
  const key = createSecretKey(options.secret)
  const keys = options.alsoAccepted === undefined ? [key] : [key, createSecretKey(options.alsoAccepted)]
  const mac = (text: string, by: KeyObject = key) => createHmac('sha256', by).update(text).digest()
  return {
    sign(claims) {
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
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
      return isSigned ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined
    },
  }
}

import { hkdfSync } from 'node:crypto'

/** A key for one purpose, derived from a secret that is used for others too, as 64 hexadecimal digits (HKDF-SHA256). */
export function derivedKey(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('hex')
}

import { hkdfSync } from 'node:crypto'

/**
 * A key for one purpose, as 64 hexadecimal digits. It is derived (HKDF-SHA256) from a secret that is also used for
 * other purposes.
 */
export function derivedKey(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('hex')
}

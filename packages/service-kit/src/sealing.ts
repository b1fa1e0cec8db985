import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { AssayError } from './errors.ts'

const prefix = 'sealed.1'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts credentials. Events, documents and messages contain them only in sealed form. */
export interface Sealer {
  /** `owner`: the text can be opened only with the same owner. Sealing a text twice gives different results. */
  seal(text: string, owner: string): string
  /** Throws `unavailable` if none of the keys opens it. */
  open(sealed: string, owner: string): string
  /** Whether it is sealed with the first key. */
  isCurrent(sealed: string): boolean
}

/** A name of a key, which does not reveal the key. */
const nameOf = (key: Buffer) =>
  createHash('sha256').update('name of a sealing key').update(key).digest('hex').slice(0, 8)

/**
 * Seals with AES-256-GCM. `secrets`: the first one seals, and each of them opens. Without any secret, sealing throws
 * `unprocessable`. A key is the SHA-256 hash of a secret.
 */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map((secret) => createHash('sha256').update(secret).digest())
  const byName = new Map(keys.map((key) => [nameOf(key), key]))
  const [current = ''] = byName.keys()
  const isCurrent = (sealed: string) => sealed.startsWith(`${prefix}.${current}.`)

  return {
    isCurrent,
    seal(text, owner) {
      const key = byName.get(current)
      if (key === undefined)
        throw new AssayError(
          'unprocessable',
          'Passwords and secrets cannot be stored, because this installation has no sealing key. Its operator sets ASSAY_SEALING_KEY.',
        )
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${prefix}.${current}.${Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64url')}`
    },
    open(sealed, owner) {
      const [, name = '', content = ''] = /^sealed\.1\.([0-9a-f]{8})\.([\w-]+)$/.exec(sealed) ?? []
      const key = byName.get(name)
      const bytes = Buffer.from(content, 'base64url')
      try {
        if (key === undefined) throw new Error('no such key')
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
        decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString(
          'utf8',
        )
      } catch {
        throw new AssayError(
          'unavailable',
          'The stored password of the source cannot be opened with the sealing key of this installation. Restore the key, or send the password again.',
        )
      }
    },
  }
}

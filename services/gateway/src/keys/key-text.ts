import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

/**
 * One half of a key pair: a prefix, 43 base 62 digits for 32 random bytes, and 6 for the CRC-32 of everything before.
 * Prefix and checksum let scanners recognise a leaked secret offline.
 */
function keyText(prefix: 'assay_ak_' | 'assay_sk_', random: Uint8Array): string {
  const text = `${prefix}${base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), 43)}`
  return `${text}${base62(BigInt(crc32(text)), 6)}`
}

export const accessKeyText = (random: Uint8Array): string => keyText('assay_ak_', random)
export const secretKeyText = (random: Uint8Array): string => keyText('assay_sk_', random)

/** SHA-256 in hex. One round is enough for 256 random bits; slow hashes protect secrets that people choose. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'hex')
}

/** The form of both halves, including preset ones. */
export const keyForm = /^[A-Za-z0-9_-]{16,128}$/

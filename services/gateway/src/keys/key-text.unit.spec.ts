import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessKeyText, hashOf, keyForm, secretKeyText } from './key-text.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberIn = (text: string) => [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)

test('given 32 bytes, when a key is written, then its 58 characters hold the bytes and their checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      for (const [write, prefix] of [
        [accessKeyText, 'assay_ak_'],
        [secretKeyText, 'assay_sk_'],
      ] as const) {
        const text = write(bytes)
        expect(text).toHaveLength(58)
        expect(text).toMatch(keyForm)
        expect(text.startsWith(prefix)).toBe(true)
        expect(numberIn(text.slice(9, 52))).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
        expect(numberIn(text.slice(52))).toBe(BigInt(crc32(text.slice(0, 52))))
      }
    }),
    { examples: [[new Uint8Array(32)], [new Uint8Array(32).fill(255)]] },
  )
})

test('the hash is SHA-256 in hex', () => {
  expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rotateSealingKey, sealingFile, sealingKeys } from './sealing-keys.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-sealing-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const random = (byte: number) => () => new Uint8Array(32).fill(byte)

test('given a new installation, when it starts twice, then it has one key, in a file that only its user can read', async () => {
  expect(sealingKeys(folder, {}, random(1))).toEqual(['01'.repeat(32)])
  expect(sealingKeys(folder, {}, random(2))).toEqual(['01'.repeat(32)])
  expect((await stat(join(folder, sealingFile))).mode & 0o777).toBe(0o600)
})

test('given a key in the environment, then it comes first, and the key of the file still opens', () => {
  const ASSAY_SEALING_KEY = 'a key of at least thirty-two characters'
  expect(sealingKeys(folder, { ASSAY_SEALING_KEY }, random(1))).toEqual([ASSAY_SEALING_KEY])
  sealingKeys(folder, {}, random(1))
  expect(sealingKeys(folder, { ASSAY_SEALING_KEY }, random(2))).toEqual([ASSAY_SEALING_KEY, '01'.repeat(32)])
})

test('given a file without a key, when it starts, then a sentence says what to do', async () => {
  await writeFile(join(folder, sealingFile), 'x')
  expect(() => sealingKeys(folder, {}, random(1))).toThrow('Restore it from a backup')
})

test('given a rotation, then the new key comes first and only the previous one still opens', () => {
  sealingKeys(folder, {}, random(1))
  rotateSealingKey(folder, {}, random(2))
  expect(sealingKeys(folder, {}, random(9))).toEqual(['02'.repeat(32), '01'.repeat(32)])
  rotateSealingKey(folder, {}, random(3))
  expect(sealingKeys(folder, {}, random(9))).toEqual(['03'.repeat(32), '02'.repeat(32)])
})

test('given a key in the environment, when rotated, then a sentence says how', () => {
  const ASSAY_SEALING_KEY = 'a key of at least thirty-two characters'
  expect(() => rotateSealingKey(folder, { ASSAY_SEALING_KEY }, random(1))).toThrow('ASSAY_SEALING_KEY_ALSO')
})

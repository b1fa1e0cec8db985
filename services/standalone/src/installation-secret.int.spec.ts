import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installationSecret, secretFile } from './installation-secret.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-secret-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const first = () => new Uint8Array(32).fill(1)
const second = () => new Uint8Array(32).fill(2)

it('given a first start, then later ones have its secret, and only the owner can read the file', async () => {
  expect(installationSecret(folder, first)).toBe('01'.repeat(32))
  expect(installationSecret(folder, second)).toBe('01'.repeat(32))
  expect((await stat(join(folder, secretFile))).mode & 0o777).toBe(0o600)
})

it('given a file without a secret, as a loss of power or a failed copy leaves it, then it is refused', async () => {
  await writeFile(join(folder, secretFile), '')
  expect(() => installationSecret(folder, first)).toThrow('Restore it from a backup')
})

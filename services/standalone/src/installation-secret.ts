import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecret } from './secret-file.ts'

/** The file in the data folder. */
export const secretFile = 'secret'

/**
 * The secret of this installation, which its first start creates. With another secret, the same values have other hashes
 * than before. Throws if the file has no secret.
 */
export function installationSecret(dataDir: string, newSecret: () => Uint8Array): string {
  const file = join(dataDir, secretFile)
  if (!existsSync(file)) writeSecret(file, Buffer.from(newSecret()).toString('hex'))
  const secret = readFileSync(file, 'utf8').trim()
  if (/^[0-9a-f]{32,}$/.test(secret)) return secret
  throw new Error(
    `${file} has no secret. Restore it from a backup, or delete it: the next run of each schema drift policy then finds no renames.`,
  )
}

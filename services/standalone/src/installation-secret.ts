import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file in the data folder. */
export const secretFile = 'secret'

/** The secret of this installation, which its first start creates. Without it, stored hashes match no later ones. */
export function installationSecret(dataDir: string, newSecret: () => Uint8Array): string {
  const file = join(dataDir, secretFile)
  if (!existsSync(file)) {
    // Readers never see a part of it.
    writeFileSync(`${file}.new`, Buffer.from(newSecret()).toString('hex'), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8')
}

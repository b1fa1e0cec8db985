import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealingKeysOf } from '@assay/hosting'
import type { StandaloneConfig } from './config.ts'
import { writeSecret } from './secret-file.ts'

/** The file in the data folder. */
export const sealingFile = 'sealing-key'

type Configured = Pick<StandaloneConfig, 'ASSAY_SEALING_KEY' | 'ASSAY_SEALING_KEY_ALSO'>

/**
 * The keys of this installation, the current one first: those of the environment, then those of the file in the data
 * folder, which the first start creates if the environment has none. Throws if the file has no key.
 */
export function sealingKeys(dataDir: string, configured: Configured, newSecret: () => Uint8Array): string[] {
  const given = sealingKeysOf(configured)
  const file = join(dataDir, sealingFile)
  if (!existsSync(file) && configured.ASSAY_SEALING_KEY !== undefined) return given
  if (!existsSync(file)) writeSecret(file, `${Buffer.from(newSecret()).toString('hex')}\n`)
  const own = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  if (own.length > 0 && own.every((key) => /^[0-9a-f]{32,}$/.test(key))) return [...given, ...own]
  throw new Error(
    `${file} has no key. Restore it from a backup, or delete it and send the passwords of all database sources again.`,
  )
}

/**
 * Puts a new key before the current one, which can still open what it has sealed. Removes older keys. Throws if the key
 * is in the environment, or if the file has none.
 */
export function rotateSealingKey(dataDir: string, configured: Configured, newSecret: () => Uint8Array): void {
  if (configured.ASSAY_SEALING_KEY !== undefined)
    throw new Error(
      'The sealing key is in the environment: set ASSAY_SEALING_KEY_ALSO to the current key and ASSAY_SEALING_KEY to a new one, and restart.',
    )
  const [current = ''] = sealingKeys(dataDir, {}, newSecret)
  writeSecret(join(dataDir, sealingFile), `${Buffer.from(newSecret()).toString('hex')}\n${current}\n`)
}

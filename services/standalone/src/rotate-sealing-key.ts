import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { loadConfig, messageOf } from '@assay/service-kit'
import { standaloneConfig } from './config.ts'
import { rotateSealingKey } from './sealing-keys.ts'

try {
  const config = loadConfig(standaloneConfig, Object.keys(standaloneConfig.shape), process.env)
  rotateSealingKey(resolve(config.ASSAY_DATA_DIR), config, () => randomBytes(32))
  process.stdout.write(
    'The data folder has a new sealing key. Restart Assay: it then seals all passwords of sources with it.\n',
  )
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}

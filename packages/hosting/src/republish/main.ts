import { messageOf } from '@assay/service-kit'
import { openStore, storeNames, storesConfig } from '../parked/checkpoint-stores.ts'
import { republish } from './republish.ts'

async function main(): Promise<void> {
  const config = storesConfig(process.env)
  for await (const line of republish(storeNames(config), (name) => openStore(config, name, true)))
    process.stdout.write(line)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

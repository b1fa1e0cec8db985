import { messageOf } from '@assay/service-kit'
import { openPlace, placesConfig, placesOf } from '../parked/places.ts'
import { republish } from './republish.ts'

async function main(): Promise<void> {
  const config = placesConfig(process.env)
  for await (const line of republish(placesOf(config), (name) => openPlace(config, name, true)))
    process.stdout.write(line)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLogger, loadConfig, messageOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { holdLock, openDatabase } from '@assay/sqlite'
import { z } from 'zod'
import { chooseBus } from '../adapters/bus.ts'
import { busGroups } from '../adapters/bus-groups.ts'
import { addressed } from '../config/distributed.ts'
import { busVariables } from '../config/variables.ts'
import { parkedCommandOf, runParked, usage } from './parked.ts'

/** Without brokers it is the bus in the data folder. Other variables of the services may be there too. */
const schema = z
  .object({
    ...busVariables,
    ASSAY_BUS: z.enum(['kafka', 'embedded']).default(process.env.ASSAY_KAFKA_BROKERS ? 'kafka' : 'embedded'),
    ASSAY_DATA_DIR: z.string().min(1).default('./data'),
  })
  .superRefine(addressed)

/** The database of the embedded bus. Nobody else may use it while messages are put back. */
function openDataFolder(folder: string, isReplay: boolean) {
  const path = join(resolve(folder), 'assay.db')
  if (!existsSync(path))
    throw new AssayError('not-found', `There is no data folder at ${resolve(folder)}. Set ASSAY_DATA_DIR to it.`)
  const lock = isReplay ? holdLock(join(resolve(folder), 'in-use')) : undefined
  if (isReplay && lock === undefined)
    throw new AssayError(
      'unavailable',
      'Assay uses the data folder. Restart it instead: each start tries what is parked again.',
    )
  const database = openDatabase({ path })
  return {
    database,
    async close() {
      await database.close()
      lock?.release()
    },
  }
}

async function main(): Promise<void> {
  const command = parkedCommandOf(process.argv.slice(2))
  if (command === undefined) {
    process.stderr.write(usage)
    process.exitCode = 78
    return
  }
  const names = Object.keys(schema.shape)
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]))
  const config = loadConfig(schema, names, env)
  const folder =
    config.ASSAY_BUS === 'embedded' ? openDataFolder(config.ASSAY_DATA_DIR, command.verb === 'replay') : undefined
  try {
    const ambient = { clock: systemClock, timers: systemTimers, logger: createLogger({ level: 'error' }) }
    const { bus } = await chooseBus(config, { service: 'parked', database: folder?.database, ...ambient })
    try {
      for await (const text of runParked(bus, command, busGroups)) process.stdout.write(text)
    } finally {
      await bus.close()
    }
  } finally {
    await folder?.close()
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkpointCollections, createDocumentCheckpoints } from '@assay/event-store'
import { createSqliteCheckpoints } from '@assay/event-store/sqlite'
import { createLogger, loadConfig, messageOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { holdLock, openDatabase } from '@assay/sqlite'
import { z } from 'zod'
import { chooseBus } from '../adapters/bus.ts'
import { busGroups } from '../adapters/bus-groups.ts'
import { given } from '../adapters/stores.ts'
import { addressed } from '../config/distributed.ts'
import { busVariables, storeVariables } from '../config/variables.ts'
import { type MessagesCommand, type ParkedCommand, parkedCommandOf, runParked, usage } from './parked.ts'
import { databasesOf, runStreams, type StreamsCommand } from './streams.ts'

/**
 * Without brokers it uses the bus in the data folder, without MongoDB its checkpoints. Other variables of the services
 * may be set too.
 */
const schema = z
  .object({
    ...busVariables,
    ASSAY_DOCUMENTS: z.enum(['mongodb', 'sqlite']).default(process.env.ASSAY_MONGODB_URL ? 'mongodb' : 'sqlite'),
    ASSAY_MONGODB_URL: storeVariables.ASSAY_MONGODB_URL,
    ASSAY_MONGODB_DATABASE: storeVariables.ASSAY_MONGODB_DATABASE,
    ASSAY_BUS: z.enum(['kafka', 'embedded']).default(process.env.ASSAY_KAFKA_BROKERS ? 'kafka' : 'embedded'),
    ASSAY_DATA_DIR: z.string().min(1).default('./data'),
  })
  .superRefine(addressed)

type Config = z.output<typeof schema>

const fileIn = (folder: string) => join(resolve(folder), 'assay.db')

/** The database of the embedded form. No other process may use it while messages are released. */
function openDataFolder(folder: string, isReplay: boolean) {
  const path = fileIn(folder)
  if (!existsSync(path))
    throw new AssayError(
      'not-found',
      `There is no data folder at ${resolve(folder)}. Set ASSAY_DATA_DIR to it, or ASSAY_KAFKA_BROKERS and ASSAY_MONGODB_URL as the services have them.`,
    )
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

async function* messages(config: Config, command: MessagesCommand): AsyncIterable<string> {
  const folder =
    config.ASSAY_BUS === 'embedded' ? openDataFolder(config.ASSAY_DATA_DIR, command.verb === 'replay') : undefined
  try {
    const ambient = { clock: systemClock, timers: systemTimers, logger: createLogger({ level: 'error' }) }
    const { bus } = await chooseBus(config, { service: 'parked', database: folder?.database, ...ambient })
    try {
      yield* runParked(bus, command, busGroups)
    } finally {
      await bus.close()
    }
  } finally {
    await folder?.close()
  }
}

/** The checkpoints of one service, or of all if they share a file. They may be written while services run. */
async function openPlace({ ASSAY_DOCUMENTS, ASSAY_DATA_DIR, ASSAY_MONGODB_URL }: Config, name: string) {
  if (ASSAY_DOCUMENTS === 'sqlite') {
    const { database, close } = openDataFolder(ASSAY_DATA_DIR, false)
    return { name, checkpoints: createSqliteCheckpoints(database), close }
  }
  const { createMongoDocuments } = await import('@assay/documents/mongodb')
  const uri = given(ASSAY_MONGODB_URL, 'ASSAY_MONGODB_URL')
  const documents = await createMongoDocuments({ uri, database: name, collections: checkpointCollections })
  return { name, checkpoints: createDocumentCheckpoints(documents, uuidV7), close: () => documents.close() }
}

function streams(config: Config, command: StreamsCommand): AsyncIterable<string> {
  const { ASSAY_DATA_DIR, ASSAY_DOCUMENTS, ASSAY_MONGODB_DATABASE } = config
  const ofOneProcess = existsSync(fileIn(ASSAY_DATA_DIR)) ? 'assay_standalone' : undefined
  const places = ASSAY_DOCUMENTS === 'sqlite' ? [ASSAY_DATA_DIR] : databasesOf(ASSAY_MONGODB_DATABASE ?? ofOneProcess)
  return runStreams(places, (name) => openPlace(config, name), command)
}

async function* answer(config: Config, command: ParkedCommand): AsyncIterable<string> {
  if (command.verb === 'list-streams' || command.verb === 'replay-streams') {
    yield* streams(config, command)
    return
  }
  yield* messages(config, command)
  if (command.verb !== 'list' || command.topic !== undefined) return
  if (config.ASSAY_DOCUMENTS === 'sqlite' && !existsSync(fileIn(config.ASSAY_DATA_DIR)))
    yield 'Streams that are set aside were not looked for: ASSAY_MONGODB_URL says where services keep them.\n'
  else yield* streams(config, { verb: 'list-streams' })
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
  for await (const text of answer(loadConfig(schema, names, env), command)) process.stdout.write(text)
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

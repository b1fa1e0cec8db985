import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { checkpointCollections, createDocumentCheckpoints } from '@assay/event-store'
import { createSqliteCheckpoints } from '@assay/event-store/sqlite'
import { createParkedMessages, parkedCollections } from '@assay/message-bus'
import { createEmbeddedBus } from '@assay/message-bus/embedded'
import { loadConfig, messageOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { holdLock, openDatabase } from '@assay/sqlite'
import { z } from 'zod'
import { busGroups } from '../adapters/bus-groups.ts'
import { given } from '../adapters/stores.ts'
import { storeVariables } from '../config/variables.ts'
import { type MessagesCommand, messagesOf, type ParkedCommand, parkedCommandOf, runParked, usage } from './parked.ts'
import { databasesOf, runStreams } from './streams.ts'

const { ASSAY_DATA_DIR: dataDir = './data', ASSAY_KAFKA_BROKERS: brokers, ASSAY_MONGODB_URL: mongoDb } = process.env
const fileIn = (folder: string) => join(resolve(folder), 'assay.db')

/** Without MongoDB it uses the data folder, and without Kafka the bus in it. Other variables may be set too. */
const schema = z.object({
  ASSAY_DOCUMENTS: z.enum(['mongodb', 'sqlite']).default(mongoDb ? 'mongodb' : 'sqlite'),
  ASSAY_MONGODB_URL: storeVariables.ASSAY_MONGODB_URL,
  ASSAY_MONGODB_DATABASE: storeVariables.ASSAY_MONGODB_DATABASE,
  ASSAY_BUS: z.enum(['kafka', 'embedded']).default(existsSync(fileIn(dataDir)) && !brokers ? 'embedded' : 'kafka'),
  ASSAY_DATA_DIR: z.string().min(1).default('./data'),
})

type Config = z.output<typeof schema>

/** The database of the embedded form. `isAlone`: no other process may use it meanwhile. */
function openDataFolder(folder: string, isAlone: boolean) {
  const path = fileIn(folder)
  if (!existsSync(path))
    throw new AssayError(
      'not-found',
      `There is no data folder at ${resolve(folder)}. Set ASSAY_DATA_DIR to it, or ASSAY_MONGODB_URL as the services have it.`,
    )
  const lock = isAlone ? holdLock(join(resolve(folder), 'in-use')) : undefined
  if (isAlone && lock === undefined)
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

function placesOf({ ASSAY_DATA_DIR, ASSAY_DOCUMENTS, ASSAY_MONGODB_DATABASE }: Config): readonly string[] {
  const ofOneProcess = existsSync(fileIn(ASSAY_DATA_DIR)) ? 'assay_standalone' : undefined
  return ASSAY_DOCUMENTS === 'sqlite' ? [ASSAY_DATA_DIR] : databasesOf(ASSAY_MONGODB_DATABASE ?? ofOneProcess)
}

/** The checkpoints and parked messages of one service, or of all if they share a file. Services may run meanwhile. */
async function openPlace({ ASSAY_DOCUMENTS, ASSAY_DATA_DIR, ASSAY_MONGODB_URL }: Config, name: string) {
  if (ASSAY_DOCUMENTS === 'sqlite') {
    const { database, close } = openDataFolder(ASSAY_DATA_DIR, false)
    const messages = createParkedMessages(createSqliteDocuments({ database, collections: parkedCollections }))
    return { name, checkpoints: createSqliteCheckpoints(database), messages, close }
  }
  const { createMongoDocuments } = await import('@assay/documents/mongodb')
  const uri = given(ASSAY_MONGODB_URL, 'ASSAY_MONGODB_URL')
  const collections = [...checkpointCollections, ...parkedCollections]
  const documents = await createMongoDocuments({ uri, database: name, collections })
  const checkpoints = createDocumentCheckpoints(documents)
  return { name, checkpoints, messages: createParkedMessages(documents), close: () => documents.close() }
}

async function* messages(config: Config, command: MessagesCommand): AsyncIterable<string> {
  if (config.ASSAY_BUS === 'embedded') {
    const { database, close } = openDataFolder(config.ASSAY_DATA_DIR, command.verb !== 'list')
    const bus = createEmbeddedBus({ database, clock: systemClock, timers: systemTimers })
    try {
      yield* runParked(bus, command, busGroups)
    } finally {
      await bus.close()
      await close()
    }
    return
  }
  const places: Awaited<ReturnType<typeof openPlace>>[] = []
  try {
    for (const name of placesOf(config)) places.push(await openPlace(config, name))
    yield* runParked(messagesOf(places.map((place) => place.messages)), command, busGroups)
  } finally {
    for (const place of places) await place.close()
  }
}

async function* answer(config: Config, command: ParkedCommand): AsyncIterable<string> {
  const open = (name: string) => openPlace(config, name)
  if (command.verb === 'list-streams' || command.verb === 'replay-streams') {
    yield* runStreams(placesOf(config), open, command)
    return
  }
  yield* messages(config, command)
  if (command.verb === 'list' && command.topic === undefined)
    yield* runStreams(placesOf(config), open, { verb: 'list-streams' })
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

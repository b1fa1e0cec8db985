import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { checkpointCollections, createDocumentCheckpoints } from '@assay/event-store'
import { createSqliteCheckpoints } from '@assay/event-store/sqlite'
import { createParkedMessages, parkedCollections } from '@assay/message-bus'
import { loadConfig } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { holdLock, openDatabase } from '@assay/sqlite'
import { z } from 'zod'
import { given } from '../adapters/stores.ts'
import { storeVariables } from '../config/variables.ts'
import { databasesOf } from './streams.ts'

type Environment = Readonly<Record<string, string | undefined>>

const fileIn = (folder: string) => join(resolve(folder), 'assay.db')

/** Without MongoDB or Kafka, the defaults are the adapters of the embedded form. */
const schemaFor = ({ ASSAY_DATA_DIR = './data', ASSAY_KAFKA_BROKERS, ASSAY_MONGODB_URL }: Environment) =>
  z.object({
    ASSAY_DOCUMENTS: z.enum(['mongodb', 'sqlite']).default(ASSAY_MONGODB_URL ? 'mongodb' : 'sqlite'),
    ASSAY_MONGODB_URL: storeVariables.ASSAY_MONGODB_URL,
    ASSAY_MONGODB_DATABASE: storeVariables.ASSAY_MONGODB_DATABASE,
    ASSAY_BUS: z
      .enum(['kafka', 'embedded'])
      .default(existsSync(fileIn(ASSAY_DATA_DIR)) && !ASSAY_KAFKA_BROKERS ? 'embedded' : 'kafka'),
    ASSAY_DATA_DIR: z.string().min(1).default('./data'),
  })

export type StoresConfig = z.output<ReturnType<typeof schemaFor>>

/** The configuration of the operator's commands. The environment may also contain other variables. Throws `invalid`. */
export function storesConfig(env: Environment): StoresConfig {
  const schema = schemaFor(env)
  const names = Object.keys(schema.shape)
  return loadConfig(schema, names, Object.fromEntries(names.map((name) => [name, env[name]])))
}

/** The database of the embedded form. `isAlone`: locks the data folder against other processes. */
export function openDataFolder(folder: string, isAlone: boolean) {
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
      'Assay uses the data folder. Stop it first. (A restart retries everything parked.)',
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

/** The names of the stores, for `openStore`. */
export function storeNames({
  ASSAY_DATA_DIR,
  ASSAY_DOCUMENTS,
  ASSAY_MONGODB_DATABASE,
}: StoresConfig): readonly string[] {
  const ofOneProcess = existsSync(fileIn(ASSAY_DATA_DIR)) ? 'assay_standalone' : undefined
  return ASSAY_DOCUMENTS === 'sqlite' ? [ASSAY_DATA_DIR] : databasesOf(ASSAY_MONGODB_DATABASE ?? ofOneProcess)
}

/**
 * The checkpoints and parked messages of one service, or of all services if they share a file. `isAlone`: refuses a
 * file that Assay uses; otherwise services may run meanwhile.
 */
export async function openStore(
  { ASSAY_DOCUMENTS, ASSAY_DATA_DIR, ASSAY_MONGODB_URL }: StoresConfig,
  name: string,
  isAlone = false,
) {
  if (ASSAY_DOCUMENTS === 'sqlite') {
    const { database, close } = openDataFolder(ASSAY_DATA_DIR, isAlone)
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

import { join } from 'node:path'
import type { CollectionShape, Documents } from '../../../packages/documents/src/index.ts'
import { createMongoDocuments, type MongoDocuments } from '../../../packages/documents/src/mongodb/index.ts'
import { createSqliteDocuments } from '../../../packages/documents/src/sqlite/index.ts'
import { checkpointCollections, rebuild } from '../../../packages/event-store/src/index.ts'
import { openDatabase } from '../../../packages/sqlite/src/index.ts'
import { catalogCollections } from '../../../services/catalog/src/service.ts'
import { executionCollections } from '../../../services/execution/src/service.ts'
import { gatewayCollections } from '../../../services/gateway/src/service.ts'
import { notificationCollections } from '../../../services/notification/src/service.ts'
import { policyCollections } from '../../../services/policy/src/service.ts'
import { samplingCollections } from '../../../services/sampling/src/service.ts'
import { rebuiltAggregates, rebuiltCollections } from '../../../services/standalone/src/read-models.ts'
import type { LogCopy } from './log-copy.ts'

const byService: Readonly<Record<string, readonly CollectionShape[]>> = {
  gateway: gatewayCollections,
  catalog: catalogCollections,
  policy: policyCollections,
  execution: executionCollections,
  sampling: samplingCollections,
  notification: notificationCollections,
}
const isRebuilt = ({ name }: CollectionShape) => rebuiltCollections.some((collection) => collection.name === name)

/** Name of each document to its bytes, with what it was made from. */
async function textsOf(documents: Pick<Documents, 'scan'>, collections: readonly CollectionShape[]) {
  const texts = new Map<string, string>()
  for (const collection of collections)
    for await (const { tenant, id, document, source } of documents.scan(collection))
      texts.set(`${collection.name} ${tenant} ${id}`, JSON.stringify({ source, document }))
  return texts
}

export interface LiveReadModels {
  texts(): Promise<Map<string, string>>
  /** Streams that a processor has set aside. */
  parked(): Promise<string[]>
  close(): Promise<void>
}

/** The read models of all services, in MongoDB at `uri`. */
export async function openLiveReadModels(uri: string): Promise<LiveReadModels> {
  const opened = new Map<string, MongoDocuments>()
  for (const [service, collections] of Object.entries(byService)) {
    const database = `assay_${service}`
    const all = [...collections, ...checkpointCollections]
    opened.set(service, await createMongoDocuments({ uri, database, collections: all }))
  }
  return {
    async texts() {
      const all: [string, string][] = []
      for (const [service, documents] of opened)
        all.push(...(await textsOf(documents, (byService[service] ?? []).filter(isRebuilt))))
      return new Map(all)
    },
    async parked() {
      const found: string[] = []
      const where = [{ field: 'isParked', is: true }]
      for (const documents of opened.values())
        for await (const { id, document } of documents.scan(checkpointCollections[1], { where }))
          found.push(`${id}: ${JSON.stringify(document)}`)
      return found
    },
    async close() {
      for (const documents of opened.values()) await documents.close()
    },
  }
}

/** What a rebuild from zero makes of the log. `file`: a new one in `folder`. */
export async function rebuiltReadModels(log: LogCopy, folder: string, file: string): Promise<Map<string, string>> {
  const database = openDatabase({ path: join(folder, file) })
  try {
    const documents = createSqliteDocuments({ database, collections: rebuiltCollections })
    const nothing = async () => undefined
    await rebuild({
      store: log.store,
      aggregates: rebuiltAggregates,
      collections: rebuiltCollections,
      target: { begin: nothing, put: (puts) => documents.put(puts), commit: nothing },
    })
    return await textsOf(documents, rebuiltCollections)
  } finally {
    await database.close()
  }
}

import { join } from 'node:path'
import type { CollectionShape, Documents } from '../../../packages/documents/src/index.ts'
import { createMongoDocuments, type MongoDocuments } from '../../../packages/documents/src/mongodb/index.ts'
import { createSqliteDocuments } from '../../../packages/documents/src/sqlite/index.ts'
import { checkpointCollections, rebuild } from '../../../packages/event-store/src/index.ts'
import { parkedCollections } from '../../../packages/message-bus/src/index.ts'
import { openDatabase } from '../../../packages/sqlite/src/index.ts'
import type { AuditLineSeen, KeptEventSeen, KeyUseSeen } from '../../../packages/testkit/src/index.ts'
import { catalogCollections } from '../../../services/catalog/src/service.ts'
import { executionCollections } from '../../../services/execution/src/service.ts'
import { auditLines } from '../../../services/gateway/src/audit/collection.ts'
import { apiKeyUses } from '../../../services/gateway/src/key/aggregate.ts'
import { gatewayCollections } from '../../../services/gateway/src/service.ts'
import { publicEvents } from '../../../services/notification/src/events/collection.ts'
import { notificationCollections } from '../../../services/notification/src/service.ts'
import { policyCollections } from '../../../services/policy/src/service.ts'
import { samplingCollections } from '../../../services/sampling/src/service.ts'
import { rebuiltAggregates, rebuiltCollections } from '../../../services/standalone/src/read-models.ts'
import { auditPuts } from './audit.ts'
import { keptText } from './kept-events.ts'
import type { LogCopy } from './log-copy.ts'
import type { Sent } from './reading-only.ts'

const byService: Readonly<Record<string, readonly CollectionShape[]>> = {
  gateway: gatewayCollections,
  catalog: catalogCollections,
  policy: policyCollections,
  execution: executionCollections,
  sampling: samplingCollections,
  notification: notificationCollections,
}

/**
 * Collections that are compared byte for byte: all that a rebuild produces, and the audit lines. (A rebuild of one
 * service keeps audit lines, because they derive from the logs of all services; here all logs are available.) Two
 * collections are excluded:
 * - Public events kept for readers: their time, process and number are arbitrary. `keptEvents` compares the other fields,
 *   and checks their order by key.
 * - The last uses of keys: no event records a use. `keyUses` checks that they are plausible.
 */
const comparedCollections: readonly CollectionShape[] = [...rebuiltCollections, auditLines]
const isCompared = ({ name }: CollectionShape) => comparedCollections.some((collection) => collection.name === name)

/** The bytes of each document by name, with its source. */
async function textsOf(documents: Pick<Documents, 'scan'>, collections: readonly CollectionShape[]) {
  const texts = new Map<string, string>()
  for (const collection of collections)
    for await (const { tenant, id, document, source } of documents.scan(collection))
      texts.set(`${collection.name} ${tenant} ${id}`, JSON.stringify({ source, document }))
  return texts
}

export interface LiveReadModels {
  texts(): Promise<Map<string, string>>
  auditLines(): Promise<AuditLineSeen[]>
  keptEvents(): Promise<KeptEventSeen[]>
  keyUses(): Promise<KeyUseSeen[]>
  /** Parked streams of processors and parked messages. */
  parked(): Promise<string[]>
  close(): Promise<void>
}

/** The read models of all services, in MongoDB at `uri`. */
export async function openLiveReadModels(uri: string): Promise<LiveReadModels> {
  const opened = new Map<string, MongoDocuments>()
  for (const [service, collections] of Object.entries(byService)) {
    const database = `assay_${service}`
    const all = [...collections, ...checkpointCollections, ...parkedCollections]
    opened.set(service, await createMongoDocuments({ uri, database, collections: all }))
  }
  const of = (service: string): MongoDocuments => {
    const documents = opened.get(service)
    if (documents === undefined) throw new Error(`${service} keeps no documents.`)
    return documents
  }
  return {
    async auditLines() {
      const lines: AuditLineSeen[] = []
      for await (const { tenant, document } of of('gateway').scan(auditLines)) lines.push({ ...document, tenant })
      return lines
    },
    async keptEvents() {
      const events: KeptEventSeen[] = []
      for await (const { tenant, document, source } of of('notification').scan(publicEvents)) {
        const { eventId: id, storedAt: keptAt, ...kept } = document
        const text = keptText({ tenant, position: source.position, ...kept })
        events.push({ id, number: source.revision, keptAt, text })
      }
      return events
    },
    async keyUses() {
      const uses: KeyUseSeen[] = []
      for await (const { tenant, id, document } of of('gateway').scan(apiKeyUses))
        uses.push({ tenant, id: String(id), lastUsedAt: document.lastUsedAt })
      return uses
    },
    async texts() {
      const all: [string, string][] = []
      for (const [service, documents] of opened)
        all.push(...(await textsOf(documents, (byService[service] ?? []).filter(isCompared))))
      return new Map(all)
    },
    async parked() {
      const found: string[] = []
      const where = [{ field: 'isParked', is: true }]
      for (const documents of opened.values()) {
        for await (const { id, document } of documents.scan(checkpointCollections[1], { where }))
          found.push(`${id}: ${JSON.stringify(document)}`)
        for await (const { id, document } of documents.scan(parkedCollections[0]))
          found.push(`${id}: ${JSON.stringify(document)}`)
      }
      return found
    },
    async close() {
      for (const documents of opened.values()) await documents.close()
    },
  }
}

const putBatch = 500

/**
 * The documents of a rebuild from zero, from the log and the messages `sent` for it. `file`: the name of a new file in
 * `folder`.
 */
export async function rebuiltReadModels(
  log: LogCopy,
  sent: readonly Sent[],
  folder: string,
  file: string,
): Promise<Map<string, string>> {
  const database = openDatabase({ path: join(folder, file) })
  try {
    const documents = createSqliteDocuments({ database, collections: comparedCollections })
    const nothing = async () => undefined
    await rebuild({
      store: log.store,
      aggregates: rebuiltAggregates,
      collections: rebuiltCollections,
      target: { begin: nothing, put: (puts) => documents.put(puts), commit: nothing },
    })
    const lines = await auditPuts(log, sent)
    for (let from = 0; from < lines.length; from += putBatch) await documents.put(lines.slice(from, from + putBatch))
    return await textsOf(documents, comparedCollections)
  } finally {
    await database.close()
  }
}

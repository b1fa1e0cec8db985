import type { AssemblyMessage } from '@assay/contracts'
import { type Collection, type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const databaseCopy = z.object({
  /** The connection, with sealed secrets; `null` if the assembly is not a database or was deleted. */
  source: z.record(z.string(), z.json()).nullable(),
  /** Whether its tables are profiled after each crawl. */
  autoProfile: z.boolean(),
  /** The end of its last crawl, ISO 8601 UTC. */
  crawledAt: z.string().nullable(),
})
/** The connection and the crawls of an assembly, from the catalog's last message about it. */
export type DatabaseCopy = z.infer<typeof databaseCopy>

/** The collection of one service. Its name begins with `service`, because services may share a store. */
export function defineDatabaseCollection(service: string): Collection<DatabaseCopy> {
  return defineCollection<DatabaseCopy>({
    name: `${service}_databases`,
    version: 2,
    idType: 'integer',
    schema: databaseCopy,
    fields: {},
  })
}

/** The document put for a message. Pure. */
export function databasePut(
  collection: Collection<DatabaseCopy>,
): (tenant: string, message: AssemblyMessage, position: string) => DocumentPut {
  return (tenant, { assemblyId, revision, source = null, autoProfile = false, isDeleted, lastCrawl }, position) => {
    const copy = { source, autoProfile: autoProfile && !isDeleted, crawledAt: lastCrawl?.endedAt ?? null }
    return documentPut(collection, tenant, assemblyId, copy, { revision, position })
  }
}

/** Finds the configuration of an assembly's database and checks it with `parse`. */
export function databaseReader<Source>(
  documents: Pick<Documents, 'get'>,
  collection: Collection<DatabaseCopy>,
  parse: (stored: unknown) => Source | undefined,
): (tenant: string, assemblyId: number) => Promise<Source | undefined> {
  return async (tenant, assemblyId) => parse((await documents.get(collection, tenant, assemblyId))?.document.source)
}

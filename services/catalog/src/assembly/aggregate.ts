import { assembly } from '@assay/contracts'
import { isRemoteSource, type RemoteSource, readRemoteSource } from '@assay/data-engine'
import { type DocumentPut, type Documents, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { duePut } from '@assay/work'
import { z } from 'zod'
import { sourceTypeOf } from '../types/source-types.ts'
import {
  type AssemblyEvent,
  type AssemblyState,
  evolveAssembly,
  initialAssembly,
  type KnownAssembly,
} from './assembly.ts'
import { type AssemblyCommand, decideAssembly } from './decide.ts'
import { maskedConfiguration, storedSource } from './secrets.ts'

const assemblyDocument = z.object({
  /** The record with masked secrets. */
  record: assembly,
  status: z.enum(['active', 'deleting', 'deleted']),
  uidPrefix: z.string(),
  crawlId: z.int().nullable(),
  /** The configuration of a database, with sealed secrets; `null` for other sources. */
  database: z.record(z.string(), z.json()).nullable(),
})
export type AssemblyDocument = z.infer<typeof assemblyDocument>

export const assemblies = defineCollection<AssemblyDocument>({
  name: 'assemblies',
  version: 6,
  idType: 'integer',
  schema: assemblyDocument,
  fields: {
    name: { type: 'text', of: ({ record }) => record.name },
    sourceType: { type: 'text', of: ({ record }) => record.sourceType.name },
    status: { type: 'text', of: ({ status }) => status },
    crawling: { type: 'boolean', of: ({ crawlId }) => (crawlId === null ? null : true) },
    createdAt: { type: 'text', of: ({ record }) => record.createdAt },
    updatedAt: { type: 'text', of: ({ record }) => record.updatedAt },
  },
})

/** Finds the database or the object store of an assembly, for the engine that reads its tables. */
export function databaseReader(
  documents: Pick<Documents, 'get'>,
): (tenant: string, assemblyId: number) => Promise<RemoteSource | undefined> {
  return async (tenant, assemblyId) => {
    const found = (await documents.get(assemblies, tenant, assemblyId))?.document
    return found?.status === 'active' ? readRemoteSource(found.database) : undefined
  }
}

/** The kind of due-book entry for scheduled crawls. */
export const crawlDue = 'crawl'

function assemblyRecord(state: KnownAssembly, tenantId: string): AssemblyDocument['record'] {
  const { name, description, source, schedule, timeZone, autoProfile, autoAnomaly } = state.definition
  return {
    id: state.id,
    name,
    description,
    sourceType: sourceTypeOf(state.sourceTypeId),
    status: state.status === 'active' ? 'ACTIVE' : 'MARKED_FOR_DELETED',
    crawler: { name },
    isVirtual: false,
    isSecured: false,
    autoProfile,
    autoAnomaly,
    tenantId,
    timeZone,
    schedule,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    createdBy: state.createdBy,
    currentSnapshot: null,
    integrationId: null,
    isProtectedResource: false,
    analyticsPipelineId: null,
    connectionId: null,
    conn: null,
    securityConfig: null,
    configuration: maskedConfiguration(source),
    assemblyProperties: null,
  }
}

/** The document of an assembly. The answer to a write is its `record`. */
export function assemblyDocumentOf(state: KnownAssembly, tenant: string): AssemblyDocument {
  const { status, uidPrefix, crawlId } = state
  const { source } = state.definition
  const database = isRemoteSource(source) ? storedSource(source) : null
  return { record: assemblyRecord(state, tenant), status, uidPrefix, crawlId, database }
}

function documents(state: AssemblyState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  if (state.status === 'absent') return []
  return [
    documentPut(assemblies, tenant, state.id, assemblyDocumentOf(state, tenant), source),
    duePut({ kind: crawlDue, tenant, id: state.id }, state.due, source),
  ]
}

/** A data source that assets come from. */
export const assemblyAggregate: Aggregate<AssemblyState, AssemblyCommand, AssemblyEvent> = {
  category: 'assembly',
  decider: { initialState: initialAssembly, decide: decideAssembly, evolve: evolveAssembly },
  schemaVersion: 3,
  documents,
}

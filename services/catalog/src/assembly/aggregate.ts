import { assembly } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
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
import { maskedConfiguration } from './secrets.ts'

const assemblyDocument = z.object({
  /** The record with masked secrets. */
  record: assembly,
  status: z.enum(['active', 'deleting', 'deleted']),
  uidPrefix: z.string(),
  crawlId: z.int().nullable(),
})
export type AssemblyDocument = z.infer<typeof assemblyDocument>

export const assemblies = defineCollection<AssemblyDocument>({
  name: 'assemblies',
  version: 5,
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

/** The document of an assembly. A write answers its `record`. */
export function assemblyDocumentOf(state: KnownAssembly, tenant: string): AssemblyDocument {
  const { status, uidPrefix, crawlId } = state
  return { record: assemblyRecord(state, tenant), status, uidPrefix, crawlId }
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
  schemaVersion: 1,
  documents,
}

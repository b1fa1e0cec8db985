import { referenceVerdict } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { claimed, openWorkPut, waiting } from '@assay/work'
import { z } from 'zod'
import {
  type AssetReferenceCommand,
  type AssetReferenceEvent,
  type AssetReferenceState,
  decideAssetReference,
  evolveAssetReference,
  initialAssetReference,
} from './asset-reference.ts'

const referenceJobDocument = z.object({
  id: z.int(),
  assetId: z.int(),
  uid: z.string(),
  assetName: z.string(),
  sourceType: z.string(),
  requestId: z.string(),
  referenceAssetId: z.int().nullable(),
  limits: z.object({ maxRowCount: z.int(), timeOutMilliseconds: z.int() }),
  status: z.enum(['SUBMITTED', 'IN_PROGRESS', 'SUCCESSFUL', 'FAILED', 'ABORTED']),
  work: z.discriminatedUnion('status', [waiting, claimed]).nullable(),
  result: referenceVerdict.nullable(),
  error: z.string().nullable(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type ReferenceJobDocument = z.infer<typeof referenceJobDocument>

/** One per kept job. */
export const referenceJobs = defineCollection<ReferenceJobDocument>({
  name: 'reference_jobs',
  version: 3,
  idType: 'integer',
  schema: referenceJobDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    executionStatus: { type: 'text', of: ({ status }) => status },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    updatedAt: { type: 'text', of: ({ updatedAt }) => updatedAt },
  },
})

/** The `kind` of reference jobs in `openWork`. */
export const referenceWork = 'reference job'

function documents(state: AssetReferenceState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  return [
    ...state.jobs.flatMap((job) => [
      documentPut(referenceJobs, tenant, job.id, job, source),
      openWorkPut({ kind: referenceWork, tenant, id: job.id, since: job.createdAt }, job.work, source),
    ]),
    ...state.dropped.map((id) => documentPut(referenceJobs, tenant, id, null, source)),
  ]
}

/** The reference jobs of an asset: streams `<tenant>/assetreference-<assetId>`. */
export const assetReferenceAggregate: Aggregate<AssetReferenceState, AssetReferenceCommand, AssetReferenceEvent> = {
  category: 'assetreference',
  decider: { initialState: initialAssetReference, decide: decideAssetReference, evolve: evolveAssetReference },
  schemaVersion: 2,
  documents,
}

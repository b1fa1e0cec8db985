import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { type AssetSamples, evolve, noSamples, type SampleEvent, type SampleJob, sampleJob } from './asset-samples.ts'
import { decide, type SampleCommand } from './decide.ts'

/** One document per kept job, by the id of its request. */
export const sampleJobs = defineCollection<SampleJob>({
  name: 'sample_jobs',
  version: 2,
  idType: 'text',
  schema: sampleJob,
  fields: {
    open: { type: 'boolean', of: ({ status }) => status === 'open' },
    finishedAt: { type: 'text', of: (job) => (job.status === 'open' ? null : job.finishedAt) },
  },
})

/** Streams `<tenant>/assetsamples-<asset id>`. */
export const assetSamplesAggregate: Aggregate<AssetSamples, SampleCommand, SampleEvent> = {
  category: 'assetsamples',
  decider: { initialState: noSamples, decide, evolve },
  schemaVersion: 1,
  documents: ({ jobs, forgotten }, { tenant }, source) => [
    ...forgotten.map((requestId) => documentPut(sampleJobs, tenant, requestId, null, source)),
    ...jobs.map((job) => documentPut(sampleJobs, tenant, job.requestId, job, source)),
  ],
}

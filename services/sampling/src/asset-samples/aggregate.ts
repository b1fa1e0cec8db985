import { defineCollection, documentPut } from '@assay/documents'
import { type Aggregate, eventOf } from '@assay/event-store'
import { openWorkPut } from '@assay/work'
import { type AssetSamples, evolve, noSamples, type SampleEvent, type SampleJob, sampleJob } from './asset-samples.ts'
import { decide, type SampleCommand } from './decide.ts'

/** One document per kept job, by the id of its request. */
export const sampleJobs = defineCollection<SampleJob>({
  name: 'sample_jobs',
  version: 3,
  idType: 'text',
  schema: sampleJob,
  fields: {
    finishedAt: { type: 'text', of: (job) => (job.status === 'open' ? null : job.finishedAt) },
  },
})

/** The `kind` of samples in `openWork`. */
export const sampleWork = 'sample'

/** Streams `<tenant>/assetsamples-<asset id>`. */
export const assetSamplesAggregate: Aggregate<AssetSamples, SampleCommand, SampleEvent> = {
  category: 'assetsamples',
  decider: { initialState: noSamples, decide, evolve },
  schemaVersion: 1,
  documents: ({ jobs }, { tenant }, source) =>
    jobs.flatMap((job) => {
      const { requestId: id, requestedAt: since } = job
      return [
        documentPut(sampleJobs, tenant, id, job, source),
        openWorkPut({ kind: sampleWork, tenant, id, since }, job.status === 'open' ? job.work : null, source),
      ]
    }),
  // Per event, because a repair that handles several events together sees only the state after the last of them.
  eventDocuments(recorded) {
    const event = eventOf(assetSamplesAggregate, recorded)
    if (event.type !== 'SamplesRemoved') return []
    const { tenant } = recorded.metadata
    return event.data.requestIds.flatMap((id) => [
      documentPut(sampleJobs, tenant, id, null, recorded),
      openWorkPut({ kind: sampleWork, tenant, id, since: event.data.at }, null, recorded),
    ])
  },
}

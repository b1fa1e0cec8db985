import { touched } from '@assay/data-engine'
import { afterClaim, afterRelease, afterRenewal, type ClaimGranted, claimed, newWork, waiting } from '@assay/work'
import { z } from 'zod'
import { transform } from '../transforming/transform.ts'

/** The target of a sample: a whole table, or one column of it. */
export const sampleTarget = z.object({
  /** The requested asset: the table's id, or the column's. */
  assetId: z.int(),
  tableId: z.int(),
  /** `null` means all columns. */
  column: z.string().nullable(),
  /** The path from the column to a field within it. If absent, the whole column is read. */
  leaf: z.object({ path: z.array(z.string()).min(1), dataType: z.string() }).optional(),
  /** For a view: its `ViewState` at the request, in two fields. */
  sourceIds: z.array(z.int()).optional(),
  view: z.string().optional(),
  /** Additional columns. Absent means none. */
  transforms: z.array(transform).optional(),
  /** A condition on the row. Absent means all rows. */
  filter: z.string().optional(),
  /** The columns that the filter reads. Absent if there is no filter, or if they are unknown. */
  filterTouched: touched.optional(),
})
export type SampleTarget = z.infer<typeof sampleTarget>

export type SampleEvent =
  | { type: 'SampleRequested'; data: { requestId: string; target: SampleTarget; at: string; by: string } }
  | { type: 'SampleClaimed'; data: { requestId: string } & ClaimGranted }
  | { type: 'SampleRenewed'; data: { requestId: string; fence: number; at: string; until: string } }
  /** The worker stopped. */
  | { type: 'SampleReleased'; data: { requestId: string; fence: number; at: string } }
  /** `artifact`: the key of the artifact with the rows. */
  | { type: 'SampleSucceeded'; data: { requestId: string; at: string; rowCount: number; artifact: string } }
  | { type: 'SampleFailed'; data: { requestId: string; at: string; error: string } }
  /** The retention of these samples has expired. */
  | { type: 'SamplesRemoved'; data: { requestIds: string[]; at: string } }

const requested = { requestId: z.string(), target: sampleTarget, requestedAt: z.string() }
/** The document of one job. Times are ISO 8601 UTC. */
export const sampleJob = z.discriminatedUnion('status', [
  z.object({ status: z.literal('open'), ...requested, work: z.discriminatedUnion('status', [waiting, claimed]) }),
  z.object({
    status: z.literal('succeeded'),
    ...requested,
    finishedAt: z.string(),
    rowCount: z.int(),
    artifact: z.string(),
  }),
  z.object({ status: z.literal('failed'), ...requested, finishedAt: z.string(), error: z.string() }),
])
export type SampleJob = z.infer<typeof sampleJob>

/**
 * The kept samples of one asset, oldest first: one stream, so that one of many concurrent requests starts a job and the
 * others find it.
 */
export interface AssetSamples {
  jobs: SampleJob[]
}

export const noSamples: AssetSamples = { jobs: [] }

export function evolve(state: AssetSamples, event: SampleEvent): AssetSamples {
  switch (event.type) {
    case 'SampleRequested': {
      const { requestId, target, at } = event.data
      return { jobs: [...state.jobs, { status: 'open', requestId, target, requestedAt: at, work: newWork }] }
    }
    case 'SampleClaimed':
      return changed(state, event.data.requestId, (job) => ({ ...job, work: afterClaim(job.work, event.data) }))
    case 'SampleRenewed':
      return changed(state, event.data.requestId, (job) =>
        job.work.status === 'running' ? { ...job, work: afterRenewal(job.work, event.data) } : job,
      )
    case 'SampleReleased':
      return changed(state, event.data.requestId, (job) =>
        job.work.status === 'running' ? { ...job, work: afterRelease(job.work) } : job,
      )
    case 'SampleSucceeded': {
      const { requestId, at: finishedAt, rowCount, artifact } = event.data
      return changed(state, requestId, ({ work: _, ...job }) => ({
        ...job,
        status: 'succeeded',
        ...{ finishedAt, rowCount, artifact },
      }))
    }
    case 'SampleFailed': {
      const { requestId, at: finishedAt, error } = event.data
      return changed(state, requestId, ({ work: _, ...job }) => ({ ...job, status: 'failed', finishedAt, error }))
    }
    case 'SamplesRemoved': {
      const { requestIds } = event.data
      return { jobs: state.jobs.filter(({ requestId }) => !requestIds.includes(requestId)) }
    }
    default:
      return event satisfies never
  }
}

export type OpenJob = Extract<SampleJob, { status: 'open' }>

function changed(state: AssetSamples, requestId: string, change: (job: OpenJob) => SampleJob): AssetSamples {
  const jobs = state.jobs.map((job) => (job.requestId === requestId && job.status === 'open' ? change(job) : job))
  return { jobs }
}

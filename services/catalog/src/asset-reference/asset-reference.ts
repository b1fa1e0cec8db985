import { AssayError } from '@assay/service-kit/errors'
import {
  afterClaim,
  afterRelease,
  afterRenewal,
  type ClaimGranted,
  type ClaimRequest,
  deathLimit,
  decideClaim,
  holds,
  newWork,
  type OpenWork,
} from '@assay/work'

/** Maximum number of kept jobs per asset. */
export const keptJobs = 100

type OfJob = { assetId: number; uid: string; jobId: number; at: string }
/**
 * The baseline for later data of an asset. `artifact`: the key of the artifact with its distributions. `view`: the hash
 * of the measured view's definition, if the asset is a view.
 */
export type Baseline = { artifact: string; view?: string }
/** `count`: rows checked. `inferredSchema`: the columns of the asset. */
export type ReferenceVerdict = {
  count: number
  status: 'SUCCESSFUL' | 'WARNING' | 'ERRORED'
  message: string | null
  inferredSchema: { name: string; dataType: string; nullable: boolean }[] | null
}
export type JobLimits = { maxRowCount: number; timeOutMilliseconds: number }
type JobRequest = {
  requestId: string
  assetName: string
  sourceType: string
  /** `null` means the asset is measured against its own baseline, and becomes the baseline if there is none. */
  referenceAssetId: number | null
  limits: JobLimits
}

export type ReferenceJobSubmitted = { type: 'ReferenceJobSubmitted'; data: OfJob & JobRequest & { by: string } }
export type ReferenceJobClaimed = { type: 'ReferenceJobClaimed'; data: OfJob & ClaimGranted }
export type ReferenceJobRenewed = { type: 'ReferenceJobRenewed'; data: OfJob & { fence: number; until: string } }
/** The worker released the job because it stopped. */
export type ReferenceJobReleased = { type: 'ReferenceJobReleased'; data: OfJob & { fence: number } }
export type ReferenceJobSucceeded = {
  type: 'ReferenceJobSucceeded'
  /** `baseline`: `null` if this job had a reference, or was compared with an earlier baseline. */
  data: OfJob & { fence: number; result: ReferenceVerdict; baseline: Baseline | null }
}
export type ReferenceJobFailed = { type: 'ReferenceJobFailed'; data: OfJob & { error: string } }
export type ReferenceJobCancelled = {
  type: 'ReferenceJobCancelled'
  data: OfJob & { by: string; before: { status: JobStatus } }
}
export type AssetReferenceEvent =
  | ReferenceJobSubmitted
  | ReferenceJobClaimed
  | ReferenceJobRenewed
  | ReferenceJobReleased
  | ReferenceJobSucceeded
  | ReferenceJobFailed
  | ReferenceJobCancelled

export type JobStatus = 'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESSFUL' | 'FAILED' | 'ABORTED'
export type KnownJob = JobRequest & {
  id: number
  assetId: number
  uid: string
  status: JobStatus
  /** `null` means the job has ended. */
  work: OpenWork | null
  result: ReferenceVerdict | null
  error: string | null
  startedAt: string | null
  finishedAt: string | null
  createdAt: string
  updatedAt: string
}
/** `jobs`: oldest first. `dropped`: the jobs that exceeded the limit at the last event. */
export type AssetReferenceState = {
  assetId: number
  jobs: KnownJob[]
  dropped: number[]
  baseline: Baseline | null
}

type SubmitJob = { type: 'SubmitJob' } & ReferenceJobSubmitted['data']
type ClaimJob = { type: 'ClaimJob'; jobId: number } & ClaimRequest
type OfWorker = { jobId: number; at: string; fence: number }
type RenewJob = { type: 'RenewJob'; until: string } & OfWorker
type ReleaseJob = { type: 'ReleaseJob' } & OfWorker
type SucceedJob = { type: 'SucceedJob'; result: ReferenceVerdict; baseline: Baseline | null } & OfWorker
type FailJob = { type: 'FailJob'; error: string } & OfWorker
type CancelJob = { type: 'CancelJob'; jobId: number; at: string; by: string }
export type AssetReferenceCommand = SubmitJob | ClaimJob | RenewJob | ReleaseJob | SucceedJob | FailJob | CancelJob

export const initialAssetReference: AssetReferenceState = { assetId: 0, jobs: [], dropped: [], baseline: null }

/** Whether a job has ended. */
export function hasEnded({ status }: Pick<KnownJob, 'status'>): boolean {
  return status !== 'SUBMITTED' && status !== 'IN_PROGRESS'
}

function submitted(state: AssetReferenceState, { by: _, ...data }: ReferenceJobSubmitted['data']): AssetReferenceState {
  const { jobId, at, ...request } = data
  const job: KnownJob = {
    ...request,
    id: jobId,
    status: 'SUBMITTED',
    work: newWork,
    result: null,
    error: null,
    startedAt: null,
    finishedAt: null,
    createdAt: at,
    updatedAt: at,
  }
  const all = [...state.jobs, job]
  const surplus = all.slice(0, Math.max(0, all.length - keptJobs))
  return { ...state, assetId: data.assetId, jobs: all.slice(surplus.length), dropped: surplus.map(({ id }) => id) }
}

/** The state after an event. */
export function evolveAssetReference(state: AssetReferenceState, event: AssetReferenceEvent): AssetReferenceState {
  if (event.type === 'ReferenceJobSubmitted') return submitted(state, event.data)
  const { jobId, at } = event.data
  const withJob = (change: (job: KnownJob) => Partial<KnownJob>): AssetReferenceState => ({
    ...state,
    dropped: [],
    jobs: state.jobs.map((job) => (job.id === jobId ? { ...job, ...change(job), updatedAt: at } : job)),
  })
  switch (event.type) {
    case 'ReferenceJobClaimed':
      return withJob(({ startedAt, work }) => ({
        status: 'IN_PROGRESS',
        work: afterClaim(work ?? newWork, event.data),
        startedAt: startedAt ?? at,
      }))
    case 'ReferenceJobRenewed':
      return withJob(({ work }) => (work?.status === 'running' ? { work: afterRenewal(work, event.data) } : {}))
    case 'ReferenceJobReleased':
      return withJob(({ work }) =>
        work?.status === 'running' ? { status: 'SUBMITTED', work: afterRelease(work) } : {},
      )
    case 'ReferenceJobSucceeded': {
      const { result, baseline } = event.data
      const next = withJob(() => ({ status: 'SUCCESSFUL', work: null, result, finishedAt: at }))
      return baseline === null ? next : { ...next, baseline }
    }
    case 'ReferenceJobFailed':
      return withJob(() => ({ status: 'FAILED', work: null, error: event.data.error, finishedAt: at }))
    case 'ReferenceJobCancelled':
      return withJob(() => ({ status: 'ABORTED', work: null, finishedAt: at }))
    default:
      return event satisfies never
  }
}

function cancel(command: CancelJob, job: KnownJob | undefined, of: (job: KnownJob) => OfJob): AssetReferenceEvent[] {
  if (job === undefined) throw new AssayError('not-found', 'There is no such job.')
  if (hasEnded(job)) throw new AssayError('unprocessable', `The job has already finished: it is ${job.status}.`)
  return [{ type: 'ReferenceJobCancelled', data: { ...of(job), by: command.by, before: { status: job.status } } }]
}

function claim(command: ClaimJob, { work }: KnownJob, of: OfJob): AssetReferenceEvent[] {
  const granted = decideClaim(work ?? undefined, command)
  if (granted === 'taken') return []
  if (granted !== 'died') return [{ type: 'ReferenceJobClaimed', data: { ...of, ...granted } }]
  const error = `The process that measured the asset died ${deathLimit} times. Lower maxRowCount and start the job again.`
  return [{ type: 'ReferenceJobFailed', data: { ...of, error } }]
}

/**
 * The events of a command. An asset has one open job; another request gets the same job. Ended jobs do not change.
 * Commands of a worker that has lost its claim have no effect.
 */
export function decideAssetReference(
  command: AssetReferenceCommand,
  state: AssetReferenceState,
): AssetReferenceEvent[] {
  if (command.type === 'SubmitJob') {
    const { type: _, ...data } = command
    return state.jobs.some((job) => !hasEnded(job)) ? [] : [{ type: 'ReferenceJobSubmitted', data }]
  }
  const job = state.jobs.find(({ id }) => id === command.jobId)
  const of = ({ assetId, uid, id }: KnownJob): OfJob => ({ assetId, uid, jobId: id, at: command.at })
  if (command.type === 'CancelJob') return cancel(command, job, of)
  if (job === undefined || hasEnded(job)) return []
  if (command.type === 'ClaimJob') return claim(command, job, of(job))
  const { fence } = command
  if (!holds(job.work ?? undefined, fence)) return []
  switch (command.type) {
    case 'RenewJob':
      return [{ type: 'ReferenceJobRenewed', data: { ...of(job), fence, until: command.until } }]
    case 'ReleaseJob':
      return [{ type: 'ReferenceJobReleased', data: { ...of(job), fence } }]
    case 'SucceedJob': {
      const { result, baseline } = command
      return [{ type: 'ReferenceJobSucceeded', data: { ...of(job), fence, result, baseline } }]
    }
    case 'FailJob':
      return [{ type: 'ReferenceJobFailed', data: { ...of(job), error: command.error } }]
    default:
      return command satisfies never
  }
}

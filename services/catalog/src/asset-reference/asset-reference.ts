import type { ReferenceVerdict } from '@assay/contracts'
import type { Distributions } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'

/** Jobs of one asset that are kept. */
export const keptJobs = 100
/** Times that a job is taken up again after the process that had it died. */
const mostClaims = 3

type OfJob = { assetId: number; uid: string; jobId: number; at: string }
export type JobLimits = { maxRowCount: number; timeOutMilliseconds: number }
type About = {
  requestId: string
  assetName: string
  sourceType: string
  /** `null`: the asset is measured against its own baseline, and becomes it where there is none. */
  referenceAssetId: number | null
  limits: JobLimits
}

export type ReferenceJobSubmitted = { type: 'ReferenceJobSubmitted'; data: OfJob & About & { by: string } }
export type ReferenceJobClaimed = { type: 'ReferenceJobClaimed'; data: OfJob & { worker: string; until: string } }
/** The worker gave the job back: it stopped. */
export type ReferenceJobReleased = { type: 'ReferenceJobReleased'; data: OfJob }
export type ReferenceJobSucceeded = {
  type: 'ReferenceJobSucceeded'
  /** `baseline`: what later data of this asset is measured against; `null` where it was measured against something. */
  data: OfJob & { result: ReferenceVerdict; baseline: Distributions | null }
}
export type ReferenceJobFailed = { type: 'ReferenceJobFailed'; data: OfJob & { error: string } }
/** `before`: absent in what was written before this was kept. */
export type ReferenceJobCancelled = {
  type: 'ReferenceJobCancelled'
  data: OfJob & { by: string; before?: { status: JobStatus } }
}
export type AssetReferenceEvent =
  | ReferenceJobSubmitted
  | ReferenceJobClaimed
  | ReferenceJobReleased
  | ReferenceJobSucceeded
  | ReferenceJobFailed
  | ReferenceJobCancelled

export type JobStatus = 'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESSFUL' | 'FAILED' | 'ABORTED'
export type KnownJob = About & {
  id: number
  assetId: number
  uid: string
  status: JobStatus
  claim: { worker: string; until: string } | null
  claims: number
  result: ReferenceVerdict | null
  error: string | null
  startedAt: string | null
  finishedAt: string | null
  createdAt: string
  updatedAt: string
}
/** `jobs`: oldest first. `forgotten`: those that the last event drove out. */
export type AssetReferenceState = {
  assetId: number
  jobs: KnownJob[]
  forgotten: number[]
  baseline: Distributions | null
}

type SubmitJob = { type: 'SubmitJob' } & ReferenceJobSubmitted['data']
type ClaimJob = { type: 'ClaimJob'; free: boolean } & Omit<ReferenceJobClaimed['data'], 'assetId' | 'uid'>
type OfCommand = { jobId: number; at: string }
type ReleaseJob = { type: 'ReleaseJob'; worker: string } & OfCommand
type SucceedJob = { type: 'SucceedJob'; result: ReferenceVerdict; baseline: Distributions | null } & OfCommand
type FailJob = { type: 'FailJob'; error: string } & OfCommand
type CancelJob = { type: 'CancelJob'; by: string } & OfCommand
export type AssetReferenceCommand = SubmitJob | ClaimJob | ReleaseJob | SucceedJob | FailJob | CancelJob

export const initialAssetReference: AssetReferenceState = { assetId: 0, jobs: [], forgotten: [], baseline: null }

/** Whether a job has come to its end. */
export function hasEnded({ status }: Pick<KnownJob, 'status'>): boolean {
  return status !== 'SUBMITTED' && status !== 'IN_PROGRESS'
}

function submitted(state: AssetReferenceState, { by: _, ...data }: ReferenceJobSubmitted['data']): AssetReferenceState {
  const { jobId, at, ...about } = data
  const job: KnownJob = {
    ...about,
    id: jobId,
    status: 'SUBMITTED',
    claim: null,
    claims: 0,
    result: null,
    error: null,
    startedAt: null,
    finishedAt: null,
    createdAt: at,
    updatedAt: at,
  }
  const all = [...state.jobs, job]
  const surplus = all.slice(0, Math.max(0, all.length - keptJobs))
  return { ...state, assetId: data.assetId, jobs: all.slice(surplus.length), forgotten: surplus.map(({ id }) => id) }
}

/** The state after one more event. */
export function evolveAssetReference(state: AssetReferenceState, event: AssetReferenceEvent): AssetReferenceState {
  if (event.type === 'ReferenceJobSubmitted') return submitted(state, event.data)
  const { jobId, at } = event.data
  const with_ = (change: (job: KnownJob) => Partial<KnownJob>): AssetReferenceState => ({
    ...state,
    forgotten: [],
    jobs: state.jobs.map((job) => (job.id === jobId ? { ...job, ...change(job), updatedAt: at } : job)),
  })
  switch (event.type) {
    case 'ReferenceJobClaimed': {
      const { worker, until } = event.data
      return with_(({ startedAt, claims }) => ({
        status: 'IN_PROGRESS',
        claim: { worker, until },
        claims: claims + 1,
        startedAt: startedAt ?? at,
      }))
    }
    case 'ReferenceJobReleased':
      return with_(({ claims }) => ({ status: 'SUBMITTED', claim: null, claims: claims - 1 }))
    case 'ReferenceJobSucceeded': {
      const { result, baseline } = event.data
      const next = with_(() => ({ status: 'SUCCESSFUL', claim: null, result, finishedAt: at }))
      return baseline === null ? next : { ...next, baseline }
    }
    case 'ReferenceJobFailed':
      return with_(() => ({ status: 'FAILED', claim: null, error: event.data.error, finishedAt: at }))
    case 'ReferenceJobCancelled':
      return with_(() => ({ status: 'ABORTED', claim: null, finishedAt: at }))
    default:
      return event satisfies never
  }
}

function cancel(command: CancelJob, job: KnownJob | undefined, of: (job: KnownJob) => OfJob): AssetReferenceEvent[] {
  if (job === undefined) throw new AssayError('not-found', 'There is no such job.')
  if (hasEnded(job)) throw new AssayError('unprocessable', `The job has already finished: it is ${job.status}.`)
  return [{ type: 'ReferenceJobCancelled', data: { ...of(job), by: command.by, before: { status: job.status } } }]
}

function claim(command: ClaimJob, job: KnownJob, of: OfJob): AssetReferenceEvent[] {
  const { at, worker, until, free } = command
  if (job.claim !== null && !free && job.claim.until > at) return []
  if (job.claims < mostClaims) return [{ type: 'ReferenceJobClaimed', data: { ...of, worker, until } }]
  const error = `The process that measured the asset died ${mostClaims} times. Lower maxRowCount and start it again.`
  return [{ type: 'ReferenceJobFailed', data: { ...of, error } }]
}

/** What a command means. An asset has one open job: who asks for another gets that one. What has ended stays as it is. */
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
  switch (command.type) {
    case 'ClaimJob':
      return claim(command, job, of(job))
    case 'ReleaseJob':
      return job.claim?.worker === command.worker ? [{ type: 'ReferenceJobReleased', data: of(job) }] : []
    case 'SucceedJob': {
      const { result, baseline } = command
      return [{ type: 'ReferenceJobSucceeded', data: { ...of(job), result, baseline } }]
    }
    case 'FailJob':
      return [{ type: 'ReferenceJobFailed', data: { ...of(job), error: command.error } }]
    default:
      return command satisfies never
  }
}

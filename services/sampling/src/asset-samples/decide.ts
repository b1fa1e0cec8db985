import { isDeepStrictEqual } from 'node:util'
import { type ClaimRequest, decideClaim, holds } from '@assay/work'
import type { AssetSamples, OpenJob, SampleEvent, SampleJob, SampleTarget } from './asset-samples.ts'

/** Maximum number of ended jobs kept per asset, so that repeated requests without the cache fill nothing. */
export const maxEnded = 20

/** A command of the worker whose claim has this fence. */
type OfWorker = { requestId: string; at: string; fence: number }

/** Times are ISO 8601 UTC. */
export type SampleCommand =
  | {
      type: 'RequestSample'
      requestId: string
      target: SampleTarget
      at: string
      by: string
      /** Rows read at or before this time are too old; `null` means all are. ISO 8601 UTC. */
      cachedAfter: string | null
      /** Absent means true. */
      mayBegin?: boolean
    }
  | ({ type: 'ClaimSample'; requestId: string } & ClaimRequest)
  | ({ type: 'RenewSample'; until: string } & OfWorker)
  | ({ type: 'ReleaseSample' } & OfWorker)
  | ({ type: 'SucceedSample'; rowCount: number; artifact: string } & OfWorker)
  | ({ type: 'FailSample'; error: string } & OfWorker)
  /** `ExpireSample`: only while no worker has it. */
  | { type: 'CancelSample' | 'ExpireSample'; requestId: string; at: string; error: string }
  /** Drops the jobs that ended before `endedBefore`, and the oldest beyond `maxEnded`. */
  | { type: 'RemoveSamples'; endedBefore: string; at: string }

/**
 * An existing job that answers a request: a running one, else one with rows that are new enough; for the same columns
 * and rows of the same table, or of a view with the same definition.
 */
export function answeringJob(
  state: AssetSamples,
  { cachedAfter, target }: { cachedAfter: string | null; target: SampleTarget },
): SampleJob | undefined {
  const fitting = state.jobs.filter(
    (job) =>
      isDeepStrictEqual(job.target.transforms, target.transforms) &&
      job.target.filter === target.filter &&
      isDeepStrictEqual(job.target.leaf, target.leaf) &&
      job.target.view === target.view,
  )
  const open = fitting.find(({ status }) => status === 'open')
  if (open || cachedAfter === null) return open
  return fitting.findLast((job) => job.status === 'succeeded' && job.finishedAt > cachedAfter)
}

/** The jobs that `RemoveSamples` drops, oldest first. */
export function removable(state: AssetSamples, endedBefore: string): string[] {
  const ended = state.jobs.filter((job) => job.status !== 'open')
  const surplus = Math.max(0, ended.length - maxEnded)
  return ended.filter((job, index) => index < surplus || job.finishedAt < endedBefore).map(({ requestId }) => requestId)
}

/**
 * The events of a command. Commands have no effect on a job that has ended or was dropped, nor do commands of a worker
 * that has lost its claim.
 */
export function decide(command: SampleCommand, state: AssetSamples): SampleEvent[] {
  switch (command.type) {
    case 'RequestSample': {
      if (command.mayBegin === false || answeringJob(state, command)) return []
      const { requestId, target, at, by } = command
      return [{ type: 'SampleRequested', data: { requestId, target, at, by } }]
    }
    case 'RemoveSamples': {
      const requestIds = removable(state, command.endedBefore)
      return requestIds.length === 0 ? [] : [{ type: 'SamplesRemoved', data: { requestIds, at: command.at } }]
    }
    default: {
      const job = state.jobs.find(({ requestId }) => requestId === command.requestId)
      return job?.status === 'open' ? decideOpen(command, job) : []
    }
  }
}

function decideOpen(
  command: Exclude<SampleCommand, { type: 'RequestSample' | 'RemoveSamples' }>,
  { work }: OpenJob,
): SampleEvent[] {
  const { type, requestId, at } = command
  switch (type) {
    case 'ClaimSample': {
      const granted = decideClaim(work, command)
      if (granted === 'taken') return []
      if (granted !== 'died') return [{ type: 'SampleClaimed', data: { requestId, ...granted } }]
      return [{ type: 'SampleFailed', data: { requestId, at, error: 'The sample ended unexpectedly three times.' } }]
    }
    case 'CancelSample':
      return [{ type: 'SampleFailed', data: { requestId, at, error: command.error } }]
    case 'ExpireSample':
      return work.status === 'waiting' ? [{ type: 'SampleFailed', data: { requestId, at, error: command.error } }] : []
    default:
  }
  const { fence } = command
  if (!holds(work, fence)) return []
  switch (type) {
    case 'RenewSample':
      return [{ type: 'SampleRenewed', data: { requestId, fence, at, until: command.until } }]
    case 'ReleaseSample':
      return [{ type: 'SampleReleased', data: { requestId, fence, at } }]
    case 'SucceedSample': {
      const { rowCount, artifact } = command
      return [{ type: 'SampleSucceeded', data: { requestId, at, rowCount, artifact } }]
    }
    case 'FailSample':
      return [{ type: 'SampleFailed', data: { requestId, at, error: command.error } }]
    default:
      return type satisfies never
  }
}

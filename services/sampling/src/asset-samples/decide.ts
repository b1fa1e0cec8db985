import { isDeepStrictEqual } from 'node:util'
import type { AssetSamples, SampleEvent, SampleJob, SampleTarget } from './asset-samples.ts'

/** Ended jobs that are kept of one asset: whoever asks without the cache again and again fills nothing. */
export const mostEnded = 20

/** Times are ISO 8601 UTC. */
export type SampleCommand =
  | {
      type: 'RequestSample'
      requestId: string
      target: SampleTarget
      at: string
      by: string
      /** Rows that were read at or before this time do not do; `null`: none do. ISO 8601 UTC. */
      cachedAfter: string | null
      /** Absent: yes. */
      mayBegin?: boolean
    }
  | { type: 'SucceedSample'; requestId: string; at: string; rowCount: number; artifact: string }
  | { type: 'FailSample'; requestId: string; at: string; error: string }
  /** Drops the jobs that ended before `endedBefore`, and the oldest of more than `mostEnded`. */
  | { type: 'ForgetSamples'; endedBefore: string; at: string }

/**
 * The job that answers a request without a new one: what is under way, else rows that are not too old; of the same columns
 * and rows of the same tables.
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
      isDeepStrictEqual(job.target.sourceIds, target.sourceIds),
  )
  const open = fitting.find(({ status }) => status === 'open')
  if (open || cachedAfter === null) return open
  return fitting.findLast((job) => job.status === 'succeeded' && job.finishedAt > cachedAfter)
}

/** What `ForgetSamples` drops, oldest first. */
export function forgettable(state: AssetSamples, endedBefore: string): string[] {
  const ended = state.jobs.filter((job) => job.status !== 'open')
  const kept = Math.max(0, ended.length - mostEnded)
  return ended.filter((job, index) => index < kept || job.finishedAt < endedBefore).map(({ requestId }) => requestId)
}

/** What is said of a job that has ended or was dropped changes nothing: of two that work on one, the first counts. */
export function decide(command: SampleCommand, state: AssetSamples): SampleEvent[] {
  switch (command.type) {
    case 'RequestSample': {
      if (command.mayBegin === false || answeringJob(state, command)) return []
      const { requestId, target, at, by } = command
      return [{ type: 'SampleRequested', data: { requestId, target, at, by } }]
    }
    case 'SucceedSample': {
      const { requestId, at, rowCount, artifact } = command
      return isOpen(state, requestId) ? [{ type: 'SampleSucceeded', data: { requestId, at, rowCount, artifact } }] : []
    }
    case 'FailSample': {
      const { requestId, at, error } = command
      return isOpen(state, requestId) ? [{ type: 'SampleFailed', data: { requestId, at, error } }] : []
    }
    case 'ForgetSamples': {
      const requestIds = forgettable(state, command.endedBefore)
      return requestIds.length === 0 ? [] : [{ type: 'SamplesForgotten', data: { requestIds, at: command.at } }]
    }
    default:
      return command satisfies never
  }
}

function isOpen(state: AssetSamples, requestId: string): boolean {
  return state.jobs.some((job) => job.requestId === requestId && job.status === 'open')
}

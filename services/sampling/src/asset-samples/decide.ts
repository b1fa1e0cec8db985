import type { AssetSamples, SampleEvent, SampleJob, SampleTarget } from './asset-samples.ts'

/** How long rows answer further requests. */
export const cacheMs = 60 * 60_000

/** Times are ISO 8601 UTC. */
export type SampleCommand =
  | {
      type: 'RequestSample'
      requestId: string
      target: SampleTarget
      at: string
      by: string
      /** Rows that are kept do not do. */
      invalidateCache: boolean
    }
  | { type: 'SucceedSample'; requestId: string; at: string; rowCount: number; artifact: string }
  | { type: 'FailSample'; requestId: string; at: string; error: string }
  /** Drops the jobs that ended before `endedBefore`. */
  | { type: 'ForgetSamples'; endedBefore: string; at: string }

/** The job that answers a request at the time `at` without a new one: what is under way, else rows of the last hour. */
export function answeringJob(
  state: AssetSamples,
  request: { at: string; invalidateCache: boolean },
): SampleJob | undefined {
  const open = state.jobs.find(({ status }) => status === 'open')
  if (open || request.invalidateCache) return open
  return state.jobs.findLast(
    (job) => job.status === 'succeeded' && Date.parse(request.at) - Date.parse(job.finishedAt) < cacheMs,
  )
}

/** What is said of a job that has ended or was dropped changes nothing: of two that work on one, the first counts. */
export function decide(command: SampleCommand, state: AssetSamples): SampleEvent[] {
  switch (command.type) {
    case 'RequestSample': {
      if (answeringJob(state, command)) return []
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
      const requestIds = state.jobs
        .filter((job) => job.status !== 'open' && job.finishedAt < command.endedBefore)
        .map(({ requestId }) => requestId)
      return requestIds.length === 0 ? [] : [{ type: 'SamplesForgotten', data: { requestIds, at: command.at } }]
    }
    default:
      return command satisfies never
  }
}

function isOpen(state: AssetSamples, requestId: string): boolean {
  return state.jobs.some((job) => job.requestId === requestId && job.status === 'open')
}

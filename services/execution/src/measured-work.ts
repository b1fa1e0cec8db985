import type { DocumentPut } from '@assay/documents'
import { type Commit, observedCommit } from '@assay/event-store'
import { type Metrics, workBuckets } from '@assay/service-kit'
import { z } from 'zod'
import { executions } from './execution/execution.documents.ts'
import { statusOfEnd } from './execution/statuses.ts'

const fenced = z.object({ fence: z.int() })
/** A run that has waited between its sides: the claim after the wait takes nothing over. */
const waited = z.object({ readFirst: z.object({ fence: z.int() }) })
const acceptedRun = z.object({ run: z.object({ executionMode: z.string() }) })
const endedRun = z.object({
  status: z.enum(['succeeded', 'failed', 'aborted']),
  run: z.object({ startedAt: z.string() }),
  finishedAt: z.string(),
  result: z.object({ verdict: z.string() }).optional(),
})

/** Verdicts of runs without a result. */
const verdicts = { succeeded: 'SUCCESSFUL', failed: 'ERRORED', aborted: 'ABORTED' } as const

const runOf = (puts: readonly DocumentPut[]) =>
  puts.find(({ collection }) => collection.name === executions.name)?.document

/** Counts runs and profiles by their events. Only the replica that writes an event counts it. */
export function measuredWork(commit: Commit, metrics: Metrics): Commit {
  const started = metrics.counter({
    name: 'assay_runs_started_total',
    help: 'Runs that were accepted. Mode: SCHEDULED, MANUAL, API.',
    labels: ['mode'],
  })
  const ended = metrics.counter({
    name: 'assay_runs_ended_total',
    help: 'Runs that ended. State: SUCCESSFUL, FAILED, ABORTED. Verdict: SUCCESSFUL, WARNING, ERRORED, ABORTED.',
    labels: ['state', 'verdict'],
  })
  const durations = metrics.histogram({
    name: 'assay_run_duration_seconds',
    help: 'Time from the acceptance of a run to its end, including the time that it waited.',
    buckets: workBuckets,
  })
  const takenOver = metrics.counter({
    name: 'assay_work_taken_over_total',
    help: 'Work that was claimed again after its worker died, stopped or lost its lease.',
    labels: ['work'],
  })
  const profiles = metrics.counter({
    name: 'assay_profiles_ended_total',
    help: 'Profiles that ended. State: SUCCESSFUL, FAILED, ABORTED.',
    labels: ['state'],
  })
  for (const state of ['SUCCESSFUL', 'FAILED', 'ABORTED']) profiles.add({ state }, 0)
  // A rate misses the first increment of a series that did not exist before.
  for (const work of ['run', 'profile']) takenOver.add({ work }, 0)
  for (const verdict of ['SUCCESSFUL', 'WARNING', 'ERRORED']) ended.add({ state: 'SUCCESSFUL', verdict }, 0)
  ended.add({ state: 'FAILED', verdict: 'ERRORED' }, 0)
  ended.add({ state: 'ABORTED', verdict: 'ABORTED' }, 0)

  function countEnd(puts: readonly DocumentPut[]): void {
    const run = endedRun.safeParse(runOf(puts))
    if (!run.success) return
    const { status, result, finishedAt, run: accepted } = run.data
    ended.add({ state: statusOfEnd(status), verdict: result?.verdict ?? verdicts[status] })
    durations.observe({}, Math.max(0, Date.parse(finishedAt) - Date.parse(accepted.startedAt)) / 1000)
  }

  function countClaim(work: 'run' | 'profile', data: unknown, puts: readonly DocumentPut[] = []): void {
    const claim = fenced.safeParse(data)
    const before = waited.safeParse(runOf(puts)).data?.readFirst.fence ?? 0
    if (claim.success && claim.data.fence > 1 && claim.data.fence !== before + 1) takenOver.add({ work })
  }

  return observedCommit(commit, ({ type, data }, puts) => {
    switch (type) {
      case 'ExecutionAccepted': {
        const accepted = acceptedRun.safeParse(data)
        if (accepted.success) started.add({ mode: accepted.data.run.executionMode })
        break
      }
      case 'ExecutionClaimed':
        countClaim('run', data, puts)
        break
      case 'ExecutionSucceeded':
      case 'ExecutionFailed':
      case 'ExecutionAborted':
        countEnd(puts)
        break
      case 'ProfileClaimed':
        countClaim('profile', data)
        break
      case 'ProfileSucceeded':
        profiles.add({ state: 'SUCCESSFUL' })
        break
      case 'ProfileFailed':
        profiles.add({ state: 'FAILED' })
        break
      case 'ProfileAborted':
        profiles.add({ state: 'ABORTED' })
        break
      default:
    }
  })
}

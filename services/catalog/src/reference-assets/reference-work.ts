import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import type { Distributions } from '@assay/reliability'
import { type Clock, isoTime, type NewId, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { ClaimedWork, RequestedFiles, WorkSource } from '@assay/work'
import { assetReferenceAggregate, referenceJobs, referenceWork } from '../asset-reference/aggregate.ts'
import type { AssetReferenceCommand, Baseline, KnownJob, ReferenceVerdict } from '../asset-reference/asset-reference.ts'
import { measureAsset } from './measure-asset.ts'

interface ReferenceWorkDeps {
  handler: CommandHandler
  documents: Documents
  engine: Pick<DataEngine, 'profile'>
  /** The baselines in files, by asset. */
  baselines: RequestedFiles<Distributions>
  newId: NewId
  clock: Clock
  timers: Timers
}

type JobKey = { tenant: string; assetId: number; jobId: number }

/** Jobs that measure assets against their references, as a source of work. */
export function createReferenceWork(deps: ReferenceWorkDeps): WorkSource {
  const { handler, documents } = deps
  return {
    kind: referenceWork,
    what: 'reference job',
    async claim({ tenant, id: text }, claim) {
      const id = Number(text)
      const found = await documents.get(referenceJobs, tenant, id)
      if (found === undefined) return undefined
      const key = { tenant, assetId: found.document.assetId, jobId: id }
      const { state, events } = await sendTo(handler, key, { type: 'ClaimJob', jobId: id, ...claim })
      const job = jobOf(state, id)
      if (events.length === 0 || job?.work?.status !== 'running') return undefined
      return claimedJob(deps, key, job, job.work.claim.fence)
    },
  }
}

function sendTo(handler: CommandHandler, { tenant, assetId: id }: JobKey, command: AssetReferenceCommand) {
  return handler.handle(assetReferenceAggregate, { tenant, id, command, context: { actor: 'system' } })
}

function jobOf({ jobs }: { jobs: readonly KnownJob[] }, jobId: number): KnownJob | undefined {
  return jobs.find(({ id }) => id === jobId)
}

function claimedJob(deps: ReferenceWorkDeps, key: JobKey, job: KnownJob, fence: number): ClaimedWork {
  const { handler, clock, timers, baselines } = deps
  const { tenant, assetId, jobId } = key
  const send = (command: AssetReferenceCommand) => sendTo(handler, key, command)
  const { timeOutMilliseconds: milliseconds } = job.limits
  async function succeed(result: ReferenceVerdict, baseline: Baseline | null): Promise<boolean> {
    const at = isoTime(clock.now())
    return (await send({ type: 'SucceedJob', jobId, fence, at, result, baseline })).events.length > 0
  }
  const late = new AssayError('timeout', `The job took longer than its limit of ${milliseconds} ms. Raise the limit.`)
  return {
    what: 'reference job',
    about: key,
    async renew(at, until) {
      const { events, state } = await send({ type: 'RenewJob', jobId, fence, at, until })
      if (events.length > 0) return 'held'
      return jobOf(state, jobId)?.status === 'ABORTED' ? 'cancelled' : 'lost'
    },
    async carryOut({ signal, confirm }) {
      const { result, newBaseline } = await withDeadline(
        timers,
        { milliseconds, late, signals: [signal] },
        async (signal) => {
          const { state } = await handler.load(assetReferenceAggregate, tenant, assetId)
          return measureAsset(deps, { tenant, job, baseline: state.baseline, signal })
        },
      )
      await confirm()
      if (newBaseline === null) return { succeed: () => succeed(result, null) }
      const { view, ...distributions } = newBaseline
      const artifact = await baselines.store(tenant, String(assetId), deps.newId(), distributions)
      return {
        async succeed() {
          const counts = await succeed(result, { artifact, ...(view === undefined ? {} : { view }) })
          if (counts) await baselines.removeAll(tenant, String(assetId), artifact)
          return counts
        },
        discard: () => baselines.remove(artifact),
      }
    },
    fail: async (at, error) => void (await send({ type: 'FailJob', jobId, fence, at, error })),
    release: async (at) => void (await send({ type: 'ReleaseJob', jobId, fence, at })),
  }
}

import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import {
  type Clock,
  createRequestedJobs,
  expiredSentence,
  isoTime,
  type Logger,
  type NewId,
  type RequestedJobs,
  type Timers,
  withDeadline,
} from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import { type ClaimedWork, type ClaimRequest, claimsOf, isClaimable, workOnClaim } from '@assay/work'
import { assetSamplesAggregate, sampleJobs } from '../asset-samples/aggregate.ts'
import type { AssetSamples, SampleJob, SampleTarget } from '../asset-samples/asset-samples.ts'
import { forgettable, type SampleCommand } from '../asset-samples/decide.ts'
import type { StoredSamples } from '../rows/stored-sample.ts'
import { takeSample } from './take-sample.ts'

/** Maximum time of the engine for one sample. */
const deadlineMs = 60_000
/** Concurrent jobs, as many as the engine accepts; the deadline of a waiting job begins at its start. */
const maxAtOnce = 3
const perTenant = 2
/** How often the worker looks for abandoned jobs and expired rows. */
const sweepMs = 10_000
/** An open job that was requested this long ago waits in no process any more. */
const abandonedMs = 5 * 60_000
/** How long rows can be read by the id of their request. */
const keptMs = 24 * 60 * 60_000

export interface OpenJob {
  tenant: string
  requestId: string
  target: SampleTarget
  /** ISO 8601 UTC. */
  requestedAt: string
}

/** Works on sample jobs. */
export interface SampleWorker extends Pick<RequestedJobs<OpenJob>, 'admit' | 'take' | 'asked' | 'cancel'> {
  /** Takes over all jobs that an earlier process left open. */
  start(): void
  /** Aborts running jobs; they stay open for the next start. */
  stop(): Promise<void>
}

export interface SampleWorkerDeps {
  commands: CommandHandler
  documents: Documents
  engine: Pick<DataEngine, 'prepare' | 'sample'>
  stored: StoredSamples
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
}

function jobOf({ jobs }: AssetSamples, id: string): SampleJob | undefined {
  return jobs.find(({ requestId }) => requestId === id)
}

export function createSampleWorker(deps: SampleWorkerDeps): SampleWorker {
  const { commands, documents, stored, clock, timers, logger } = deps
  const worker = deps.newId()
  const queue = createRequestedJobs<OpenJob>({
    what: 'samples',
    maxAtOnce,
    perTenant,
    clock,
    timers,
    work,
    expire,
    onError: (error, { requestId }) => {
      const about = { requestId, error: messageOf(error) }
      logger.error(about, 'the end of a sample could not be recorded; it is retried later')
    },
  })
  let ticks: { stop(): void } | undefined
  let sweeping: Promise<void> | undefined

  const handle = ({ tenant, target }: OpenJob, command: SampleCommand) =>
    commands.handle(assetSamplesAggregate, { tenant, id: target.assetId, command, context: { actor: 'system' } })

  const tell = async (job: OpenJob, command: SampleCommand) => {
    const { tenant, target } = job
    const { state, events } = await handle(job, command)
    // Drops jobs beyond the maximum: on failure the next end or the sweep does it.
    await forget(tenant, target.assetId, forgettable(state, isoTime(clock.now() - keptMs)))
    return events.length > 0
  }

  async function forget(tenant: string, assetId: number, requestIds: readonly string[]): Promise<void> {
    if (requestIds.length === 0) return
    // Rows first: once the job is dropped from the log, they could no longer be found.
    for (const requestId of requestIds) await stored.removeAll(tenant, requestId)
    const now = clock.now()
    const command = { type: 'ForgetSamples' as const, endedBefore: isoTime(now - keptMs), at: isoTime(now) }
    await commands.handle(assetSamplesAggregate, { tenant, id: assetId, command, context: { actor: 'system' } })
  }

  async function expire(job: OpenJob): Promise<void> {
    const { requestId } = job
    await tell(job, { type: 'ExpireSample', requestId, at: isoTime(clock.now()), error: expiredSentence('The sample') })
  }

  async function work(job: OpenJob, stopped: AbortSignal): Promise<void> {
    await workOnClaim({ ...deps, worker }, (claim) => claimSample(job, claim), {
      stopped,
      isStopping: () => !queue.isOpen(),
    })
  }

  async function claimSample(job: OpenJob, claim: ClaimRequest): Promise<ClaimedWork | undefined> {
    const { requestId } = job
    const { state, events } = await handle(job, { type: 'ClaimSample', requestId, ...claim })
    const found = jobOf(state, requestId)
    if (events.length === 0 || found?.status !== 'open' || found.work.status !== 'running') return undefined
    return claimedSample(job, found.work.claim.fence)
  }

  function claimedSample(job: OpenJob, fence: number): ClaimedWork {
    const { tenant, requestId } = job
    const of = { requestId, fence }
    return {
      what: 'sample',
      about: { tenant, requestId },
      async renew(at, until) {
        const { events, state } = await handle(job, { type: 'RenewSample', ...of, at, until })
        if (events.length > 0) return 'held'
        return jobOf(state, requestId)?.status === 'open' ? 'lost' : 'cancelled'
      },
      async carryOut({ signal, confirm }) {
        const late = new AssayError(
          'timeout',
          `Reading the first rows took longer than ${deadlineMs / 1000} s. Try again.`,
        )
        const data = await withDeadline(timers, { milliseconds: deadlineMs, late, signals: [signal] }, (signal) =>
          takeSample(deps, { ...job, signal }),
        )
        await confirm()
        const artifact = await stored.store(tenant, requestId, deps.newId(), data)
        return {
          async succeed() {
            const at = isoTime(clock.now())
            const counts = await tell(job, { type: 'SucceedSample', ...of, at, rowCount: data.data.length, artifact })
            if (counts) await stored.removeAll(tenant, requestId, artifact)
            return counts
          },
          discard: () => stored.remove(artifact),
        }
      },
      fail: async (at, error) => void (await tell(job, { type: 'FailSample', ...of, at, error })),
      release: async (at) => void (await tell(job, { type: 'ReleaseSample', ...of, at })),
    }
  }

  /** Jobs that a worker gave back or died with, and those that were requested before `before`. */
  async function takeOpen(before: string): Promise<void> {
    const now = isoTime(clock.now())
    for await (const { tenant, document } of documents.scan(sampleJobs, { where: [{ field: 'open', is: true }] })) {
      if (document.status !== 'open' || !isClaimable(document.work, now)) continue
      const { requestId, target, requestedAt, work } = document
      if (claimsOf(work) > 0 || requestedAt <= before) queue.take({ tenant, requestId, target, requestedAt })
    }
  }

  async function forgetOld(): Promise<void> {
    const now = clock.now()
    const endedBefore = isoTime(now - keptMs)
    const old: { tenant: string; requestId: string; assetId: number }[] = []
    const where = [{ field: 'finishedAt', to: endedBefore }]
    for await (const { tenant, document } of documents.scan(sampleJobs, { where })) {
      if (document.status !== 'open' && document.finishedAt < endedBefore)
        old.push({ tenant, requestId: document.requestId, assetId: document.target.assetId })
    }
    for (const { tenant, requestId, assetId } of old) {
      if (!queue.isOpen()) return
      await forget(tenant, assetId, [requestId])
    }
  }

  function sweep(before: string): void {
    sweeping ??= takeOpen(before)
      .then(forgetOld)
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'looking for abandoned samples failed; it is retried later')
      })
      .finally(() => {
        sweeping = undefined
      })
  }

  return {
    admit: queue.admit,
    take: queue.take,
    asked: queue.asked,
    cancel: queue.cancel,
    start() {
      if (queue.isOpen()) return
      queue.open()
      ticks = timers.every(sweepMs, () => sweep(isoTime(clock.now() - abandonedMs)))
      sweep(isoTime(clock.now()))
    },
    async stop() {
      ticks?.stop()
      await Promise.all([queue.close(), sweeping])
    },
  }
}

import type { SampleData } from '@assay/contracts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type NewId, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import {
  type Candidate,
  type ClaimedWork,
  type ClaimRequest,
  createRequestedWork,
  expiredSentence,
  type RequestedFiles,
  type RequestedWork,
} from '@assay/work'
import { assetSamplesAggregate, sampleJobs, sampleWork } from '../asset-samples/aggregate.ts'
import type { AssetSamples, SampleJob } from '../asset-samples/asset-samples.ts'
import { removable, type SampleCommand } from '../asset-samples/decide.ts'
import { takeSample } from './take-sample.ts'

/** Maximum time of the engine for one sample. */
const deadlineMs = 60_000
/** Maximum number of concurrent jobs, as many as the engine accepts; the deadline of a waiting job begins at its start. */
const maxAtOnce = 3
const perTenant = 2
/** Milliseconds during which rows can be read by the id of their request. */
const keptMs = 24 * 60 * 60_000

export interface SampleWorkerDeps {
  commands: CommandHandler
  documents: Documents
  engine: Pick<DataEngine, 'prepare' | 'sample'>
  stored: RequestedFiles<SampleData>
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  soleInstance?: boolean
}

/** The stream of a sample is that of its asset. */
interface SampleStream {
  tenant: string
  assetId: number
}

function jobOf({ jobs }: AssetSamples, id: string): SampleJob | undefined {
  return jobs.find(({ requestId }) => requestId === id)
}

/** Runs requested samples, and removes old ones. */
export function createSampleWorker(deps: SampleWorkerDeps): RequestedWork {
  const { commands, documents, stored, clock, timers } = deps
  return createRequestedWork({
    ...deps,
    work: { kind: sampleWork, what: 'sample', claim: claimSample, expire, forgetOld },
    workerId: deps.newId(),
    isSole: deps.soleInstance,
    maxAtOnce,
    perTenant,
  })

  function handle({ tenant, assetId: id }: SampleStream, command: SampleCommand) {
    return commands.handle(assetSamplesAggregate, { tenant, id, command, context: { actor: 'system' } })
  }

  async function handleAndTrim(stream: SampleStream, command: SampleCommand): Promise<boolean> {
    const { state, events } = await handle(stream, command)
    // Drops jobs beyond the maximum. If this fails, the next job that ends or the sweep drops them.
    await remove(stream, removable(state, isoTime(clock.now() - keptMs)))
    return events.length > 0
  }

  async function streamOf({ tenant, id }: Candidate): Promise<SampleStream | undefined> {
    const found = await documents.get(sampleJobs, tenant, id)
    return found && { tenant, assetId: found.document.target.assetId }
  }

  async function remove({ tenant, assetId }: SampleStream, requestIds: readonly string[]): Promise<void> {
    if (requestIds.length === 0) return
    // The rows are removed first: once the job is dropped from the log, nothing names them.
    for (const requestId of requestIds) await stored.removeAll(tenant, requestId)
    const now = clock.now()
    const command = { type: 'RemoveSamples' as const, endedBefore: isoTime(now - keptMs), at: isoTime(now) }
    await commands.handle(assetSamplesAggregate, { tenant, id: assetId, command, context: { actor: 'system' } })
  }

  async function expire(candidate: Candidate): Promise<void> {
    const requestId = candidate.id
    const stream = await streamOf(candidate)
    const [at, error] = [isoTime(clock.now()), expiredSentence('The sample')]
    if (stream) await handleAndTrim(stream, { type: 'ExpireSample', requestId, at, error })
  }

  async function claimSample(candidate: Candidate, claim: ClaimRequest): Promise<ClaimedWork | undefined> {
    const requestId = candidate.id
    const stream = await streamOf(candidate)
    if (stream === undefined) return undefined
    const { state, events } = await handle(stream, { type: 'ClaimSample', requestId, ...claim })
    const found = jobOf(state, requestId)
    if (events.length === 0 || found?.status !== 'open' || found.work.status !== 'running') return undefined
    return claimedSample(stream, found, found.work.claim.fence)
  }

  function claimedSample(stream: SampleStream, { requestId, target }: SampleJob, fence: number): ClaimedWork {
    const { tenant } = stream
    const of = { requestId, fence }
    return {
      what: 'sample',
      about: { tenant, requestId },
      async renew(at, until) {
        const { events, state } = await handle(stream, { type: 'RenewSample', ...of, at, until })
        if (events.length > 0) return 'held'
        return jobOf(state, requestId)?.status === 'open' ? 'lost' : 'cancelled'
      },
      async carryOut({ signal, confirm }) {
        const late = new AssayError(
          'timeout',
          `Reading the first rows took longer than ${deadlineMs / 1000} s. Try again.`,
        )
        const data = await withDeadline(timers, { milliseconds: deadlineMs, late, signals: [signal] }, (signal) =>
          takeSample(deps, { tenant, target, signal }),
        )
        await confirm()
        const artifact = await stored.store(tenant, requestId, deps.newId(), data)
        return {
          async succeed() {
            const at = isoTime(clock.now())
            const counts = await handleAndTrim(stream, {
              type: 'SucceedSample',
              ...of,
              at,
              rowCount: data.data.length,
              artifact,
            })
            if (counts) await stored.removeAll(tenant, requestId, artifact)
            return counts
          },
          discard: () => stored.remove(artifact),
        }
      },
      fail: async (at, error) => void (await handleAndTrim(stream, { type: 'FailSample', ...of, at, error })),
      release: async (at) => void (await handleAndTrim(stream, { type: 'ReleaseSample', ...of, at })),
    }
  }

  async function forgetOld(isRunning: () => boolean): Promise<void> {
    const now = clock.now()
    const endedBefore = isoTime(now - keptMs)
    const old: { tenant: string; requestId: string; assetId: number }[] = []
    const where = [{ field: 'finishedAt', to: endedBefore }]
    for await (const { tenant, document } of documents.scan(sampleJobs, { where })) {
      if (document.status !== 'open' && document.finishedAt < endedBefore)
        old.push({ tenant, requestId: document.requestId, assetId: document.target.assetId })
    }
    for (const { tenant, requestId, assetId } of old) {
      if (!isRunning()) return
      await remove({ tenant, assetId }, [requestId])
    }
  }
}

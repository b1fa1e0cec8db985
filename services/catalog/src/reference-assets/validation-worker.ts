import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type NewId, type Timers } from '@assay/service-kit'
import { AssayError, failureSentence, messageOf } from '@assay/service-kit/errors'
import { assetReferenceAggregate, referenceJobs } from '../asset-reference/aggregate.ts'
import { type AssetReferenceCommand, hasEnded, type KnownJob } from '../asset-reference/asset-reference.ts'
import { measureAsset } from './measure-asset.ts'

/** Jobs at the same time; the others wait. */
const maxAtOnce = 1
/** How often to look for jobs that no process works on, and for a cancellation of the current one elsewhere. */
const sweepMilliseconds = 5_000
/** How long a claim outlives the job's own limit of time. */
const marginMilliseconds = 60_000

function sentenceOf(error: unknown): string {
  return failureSentence(error) ?? 'The job failed for an internal reason; the log of the server tells more.'
}

type Place = { tenant: string; assetId: number; jobId: number }

/** Works on the jobs that measure assets against their references, one at a time: tenants in turn, oldest first. */
export interface ValidationWorker {
  /** `first`: no other instance can have a job, so claims of an earlier process do not count. */
  start(options: { first: boolean }): void
  /** Gives back what is under way, so that the next start takes it up. */
  stop(): Promise<void>
  /** There is a job to take. */
  wake(): void
  /** Ends the work on a job that was cancelled, where it runs here. */
  cancelled(tenant: string, jobId: number): void
}

export function createValidationWorker(deps: {
  handler: CommandHandler
  documents: Documents
  engine: Pick<DataEngine, 'distributions'>
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
}): ValidationWorker {
  const { handler, documents, clock, timers, logger } = deps
  const worker = deps.newId()
  const underWay = new Map<string, { place: Place; controller: AbortController; ended: Promise<void> }>()
  /**
   * When a job of a tenant was taken last, as a number that grows; kept while none of theirs waits, as one job at a time
   * would go first for ever. One small number for each tenant.
   */
  const lastTurns = new Map<string, number>()
  let turns = 0
  let isRunning = false
  let areClaimsVoid = false
  let ticks: { stop(): void } | undefined
  let looking: Promise<void> | undefined
  const keyOf = (tenant: string, jobId: number) => `${tenant}/${jobId}`
  const now = () => isoTime(clock.now())

  function tell({ tenant, assetId }: Place, command: AssetReferenceCommand) {
    return handler.handle(assetReferenceAggregate, { tenant, id: assetId, command, context: { actor: 'system' } })
  }

  async function work(place: Place, job: KnownJob, controller: AbortController): Promise<void> {
    const { jobId } = place
    const { timeOutMilliseconds } = job.limits
    const over = new AbortController()
    const late = timers.sleep(timeOutMilliseconds, over.signal).then(() => {
      if (over.signal.aborted) return
      controller.abort(
        new AssayError('timeout', `The job took longer than its limit of ${timeOutMilliseconds} ms. Raise the limit.`),
      )
    })
    try {
      const { state } = await handler.load(assetReferenceAggregate, place.tenant, place.assetId)
      const request = { tenant: place.tenant, job, baseline: state.baseline, signal: controller.signal }
      const { result, baseline } = await measureAsset(deps, request)
      await tell(place, { type: 'SucceedJob', jobId, at: now(), result, baseline })
    } catch (error) {
      // A stop is no failure of the job: the next start takes it up again.
      if (!isRunning) {
        await tell(place, { type: 'ReleaseJob', jobId, at: now(), worker })
        return
      }
      logger.info({ ...place, error: messageOf(error) }, 'a reference job failed')
      await tell(place, { type: 'FailJob', jobId, at: now(), error: sentenceOf(error) })
    } finally {
      over.abort()
      await late
    }
  }

  async function take(place: Place, limit: number): Promise<void> {
    const at = clock.now()
    const until = isoTime(at + limit + marginMilliseconds)
    const free = areClaimsVoid
    const { state, events } = await tell(place, {
      type: 'ClaimJob',
      jobId: place.jobId,
      at: isoTime(at),
      worker,
      until,
      free,
    })
    const job = state.jobs.find(({ id }) => id === place.jobId)
    if (events.length === 0 || job === undefined || job.status !== 'IN_PROGRESS') return
    turns += 1
    lastTurns.set(place.tenant, turns)
    const key = keyOf(place.tenant, place.jobId)
    const controller = new AbortController()
    const ended = work(place, job, controller)
      .catch((error: unknown) => {
        logger.error({ ...place, error: messageOf(error) }, 'the end of a reference job could not be written down')
      })
      .finally(() => {
        underWay.delete(key)
        wake()
      })
    underWay.set(key, { place, controller, ended })
  }

  async function look(): Promise<void> {
    const open: { place: Place; limit: number }[] = []
    for await (const { tenant, document } of documents.scan(referenceJobs, { where: [{ field: 'open', is: true }] })) {
      const { id: jobId, assetId, limits, claim } = document
      const isFree = claim === null || areClaimsVoid || claim.until <= now()
      if (isFree && !underWay.has(keyOf(tenant, jobId)))
        open.push({ place: { tenant, assetId, jobId }, limit: limits.timeOutMilliseconds })
    }
    const lastTurn = ({ place }: { place: Place }) => lastTurns.get(place.tenant) ?? 0
    open.sort((a, b) => lastTurn(a) - lastTurn(b) || a.place.jobId - b.place.jobId)
    for (const { place, limit } of open) {
      if (!isRunning || underWay.size >= maxAtOnce) return
      await take(place, limit)
    }
    areClaimsVoid = false
  }

  /** A job that was cancelled through another replica is let go here too. */
  async function letGo(): Promise<void> {
    for (const { place, controller } of underWay.values()) {
      const job = (await documents.get(referenceJobs, place.tenant, place.jobId))?.document
      if (job === undefined || hasEnded(job)) controller.abort(new Error('The job was cancelled.'))
    }
  }

  let isAsked = false
  function wake(): void {
    isAsked = true
    if (!isRunning || looking !== undefined) return
    isAsked = false
    looking = letGo()
      .then(look)
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'reference jobs could not be looked over; it is tried again')
      })
      .finally(() => {
        looking = undefined
        if (isAsked) wake()
      })
  }

  return {
    wake,
    start({ first }) {
      isRunning = true
      areClaimsVoid = first
      ticks = timers.every(sweepMilliseconds, wake)
      wake()
    },
    async stop() {
      isRunning = false
      ticks?.stop()
      await looking
      for (const { controller } of underWay.values()) controller.abort(new Error('The service stops.'))
      await Promise.all([...underWay.values()].map(({ ended }) => ended))
    },
    cancelled(tenant, jobId) {
      underWay.get(keyOf(tenant, jobId))?.controller.abort(new Error('The job was cancelled.'))
    },
  }
}

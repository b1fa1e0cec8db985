import type { Documents } from '@assay/documents'
import {
  type Clock,
  createRequestedJobs,
  isoTime,
  type Logger,
  messageOf,
  type RequestedJob,
  type RequestedJobs,
  type Timers,
} from '@assay/service-kit'
import type { ClaimRequest } from './claim.ts'
import { type ClaimedWork, workOnClaim } from './leased-work.ts'
import { openWorkOf } from './open-work.ts'

/** How often to look for work without a worker, and for what has expired. */
const sweepMs = 10_000

/** Work that people request and then poll. */
export interface RequestedSource {
  /** The `kind` of its entries in `openWork`. */
  kind: string
  /** In plural, for refusals. */
  plural: string
  /** `undefined`: there is nothing to do (any more). */
  claim(job: RequestedJob, claim: ClaimRequest): Promise<ClaimedWork | undefined>
  /** Records that it waited too long. */
  expire(job: RequestedJob): Promise<void>
  /** Removes what has been kept long enough, as long as `isRunning`. */
  forgetOld(isRunning: () => boolean): Promise<void>
}

/** Works on requested work, within the limits of its queue. */
export interface RequestedWork extends Pick<RequestedJobs<RequestedJob>, 'admit' | 'take' | 'asked' | 'cancel'> {
  /** Also takes over what earlier processes left open. */
  start(): void
  /** Gives back what is under way. */
  stop(): Promise<void>
}

/** `isSole`: as of `createWorker`. */
export function createRequestedWork(deps: {
  work: RequestedSource
  documents: Pick<Documents, 'find'>
  clock: Clock
  timers: Timers
  logger: Logger
  workerId: string
  maxAtOnce: number
  perTenant: number
  isSole?: boolean | undefined
}): RequestedWork {
  const { work, documents, clock, timers, logger, workerId: worker, isSole = false } = deps
  const queue: RequestedJobs<RequestedJob> = createRequestedJobs<RequestedJob>({
    ...deps,
    what: work.plural,
    othersPoll: !isSole,
    expire: work.expire,
    work: (job, stopped) =>
      workOnClaim({ ...deps, worker, isSole }, (claim) => work.claim(job, claim), {
        stopped,
        isStopping: () => !queue.isOpen(),
      }),
    onError: (error, { requestId }) => {
      const about = { requestId, error: messageOf(error) }
      logger.error(about, `the end of a ${work.kind} could not be recorded; it is retried later`)
    },
  })
  let ticks: { stop(): void } | undefined
  let sweeping: Promise<void> | undefined

  async function takeOpen(): Promise<void> {
    for await (const { tenant, id, since } of openWorkOf(documents, work.kind, isSole ? undefined : clock.now()))
      queue.take({ tenant, requestId: id, requestedAt: isoTime(since) })
  }

  function sweep(): void {
    sweeping ??= takeOpen()
      .then(() => work.forgetOld(queue.isOpen))
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, `looking for abandoned ${work.plural} failed; it is retried later`)
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
      ticks = timers.every(sweepMs, sweep)
      sweep()
    },
    async stop() {
      ticks?.stop()
      await Promise.all([queue.close(), sweeping])
    },
  }
}

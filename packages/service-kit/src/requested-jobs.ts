import type { Clock, Timers } from './ambient.ts'
import { createJobQueue, type JobQueue } from './job-queue.ts'
import { createOpenJobs, type JobOwner, type OpenJob, type openJobLimits } from './open-jobs.ts'

/** A waiting job that nobody asked about during the last `askedMs` expires after this time. */
const waitMs = 2 * 60_000
const askedMs = 60_000
/** A waiting job expires this long after its request, in any case. */
const longestWaitMs = 15 * 60_000
const expiryMs = 15_000

/** The state of an expired job for later readers. `what`: the job, as in 'The sample'. */
export const expiredSentence = (what: string) =>
  `${what} expired: it waited for other jobs, and nobody asked for its result. Request it again.`

export interface RequestedJob {
  tenant: string
  requestId: string
  /** ISO 8601 UTC. */
  requestedAt: string
}

/**
 * Jobs that people request and then poll: bounded by key and by tenant, slots rotate among tenants and their keys, and
 * jobs that nobody polls expire. So the queue is short after a restart, too.
 */
export interface RequestedJobs<Job> extends Pick<JobQueue<Job>, 'open' | 'isOpen' | 'cancel' | 'close'> {
  /** Counts a job that is about to be requested. Error: `rate-limited`. */
  admit(owner: JobOwner): OpenJob
  /** `counted`: the answer of `admit`; absent: a job of an earlier process, or of another replica. */
  take(job: Job, counted?: OpenJob): void
  /** Somebody polls a job. */
  asked(requestId: string): void
}

export function createRequestedJobs<Job extends RequestedJob>(options: {
  /** The jobs in plural, for refusals. */
  what: string
  /** Whether people may poll another replica for a job that this one took up. */
  othersPoll: boolean
  maxAtOnce: number
  perTenant: number
  clock: Clock
  timers: Pick<Timers, 'every'>
  limits?: typeof openJobLimits
  work(job: Job, stopped: AbortSignal): Promise<void>
  /** Records that a job expired. */
  expire(job: Job): Promise<void>
  /** The state of the job is unknown. */
  onError(error: unknown, job: Job): void
}): RequestedJobs<Job> {
  const { clock, timers, work, expire, onError, othersPoll } = options
  const openJobs = createOpenJobs(options.what, options.limits)
  /** The jobs that wait or run here. */
  const known = new Map<string, { takenAt: number; askedAt: number; counted: OpenJob }>()
  let ticks: { stop(): void } | undefined

  const queue = createJobQueue<Job>({
    ...options,
    async work(job, stopped) {
      if (isExpired(job)) await expire(job)
      else await work(job, stopped)
    },
    onGone({ requestId }) {
      known.get(requestId)?.counted.end()
      known.delete(requestId)
    },
  })

  function isExpired({ requestId, requestedAt }: Job): boolean {
    const now = clock.now()
    if (now - Date.parse(requestedAt) > longestWaitMs) return true
    const job = known.get(requestId)
    return job !== undefined && now - job.takenAt > waitMs && now - job.askedAt > askedMs
  }

  function expireWaiting(): void {
    for (const job of queue.waiting()) {
      if (!isExpired(job)) continue
      queue.cancel(job.requestId)
      expire(job).catch((error: unknown) => onError(error, job))
    }
  }

  return {
    isOpen: queue.isOpen,
    cancel: queue.cancel,
    admit: openJobs.admit,
    asked(requestId) {
      const job = known.get(requestId)
      if (job !== undefined) job.askedAt = Math.max(job.askedAt, clock.now())
    },
    take(job, counted) {
      const { tenant, requestId } = job
      if (known.has(requestId)) {
        counted?.end()
        return
      }
      const takenAt = clock.now()
      // A job that was requested elsewhere is asked for there too, so silence here says nothing.
      const askedAt = counted === undefined && othersPoll ? Number.POSITIVE_INFINITY : takenAt
      known.set(requestId, { takenAt, askedAt, counted: counted ?? openJobs.count({ tenant }) })
      queue.take(job, counted?.owner?.accessKey)
    },
    open() {
      ticks ??= timers.every(expiryMs, expireWaiting)
      queue.open()
    },
    async close() {
      ticks?.stop()
      ticks = undefined
      await queue.close()
    },
  }
}

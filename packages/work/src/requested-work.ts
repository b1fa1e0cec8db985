import type { Documents } from '@assay/documents'
import {
  type Clock,
  createOpenJobs,
  type JobOwner,
  type Logger,
  messageOf,
  type OpenJob,
  type Timers,
} from '@assay/service-kit'
import { type Candidate, createWorker, type WorkSource } from './worker.ts'

/** Waiting work expires after this time if nobody has polled it during the last `askedMs`. */
const waitMs = 2 * 60_000
const askedMs = 60_000
/** Waiting work expires this long after its request, even if somebody polls it. */
const longestWaitMs = 15 * 60_000
const expiryMs = 15_000
/** Only every nth sweep removes work past its retention. */
const sweepsPerForget = 2

/** The error that readers of expired work get. `what`: the work, as in 'The sample'. */
export const expiredSentence = (what: string) =>
  `${what} expired: it waited for other jobs, and nobody asked for its result. Request it again.`

/** Work that people request and then poll. `what`: name of the work in singular; refusals add a plural 's'. */
export interface RequestedSource extends Omit<WorkSource, 'repair'> {
  /** Records that the work waited too long. */
  expire(candidate: Candidate): Promise<void>
  /** Removes work past its retention, while `isRunning`. */
  forgetOld(isRunning: () => boolean): Promise<void>
}

/**
 * A worker for requested work. Limits open work per key and tenant, and expires work that nobody polls, so the queue is
 * short after a restart, too.
 */
export interface RequestedWork {
  /** Counts work that is about to be requested. Error: `rate-limited`. */
  admit(owner: JobOwner): OpenJob
  /** Queues work. `counted`: result of `admit`; omitted if the work is open already. */
  take(candidate: Candidate, counted?: OpenJob): void
  /** Somebody polls it. */
  asked(id: string): void
  /** Stops cancelled work. */
  cancel(tenant: string, id: string): void
  /** Also takes over work that earlier processes left open. */
  start(): void
  /** Releases the claims of work in progress. */
  stop(): Promise<void>
}

interface Known {
  takenAt: number
  askedAt: number
  counted: OpenJob
}

/** `isSole`: as for `createWorker`. */
export function createRequestedWork(deps: {
  work: RequestedSource
  documents: Pick<Documents, 'find'>
  clock: Clock
  timers: Timers
  logger: Logger
  workerId: string
  maxAtOnce: number
  perTenant: number
  limits?: { perKey: number; perTenant: number }
  isSole?: boolean | undefined
}): RequestedWork {
  const { work, clock, timers, logger, isSole = false } = deps
  const openJobs = createOpenJobs(`${work.what}s`, deps.limits)
  /** Work that this process has queued or in progress, by id. */
  const known = new Map<string, Known>()
  let beganAt = 0
  let sweeps = 0
  let ticks: { stop(): void } | undefined
  const worker = createWorker({
    ...deps,
    work: {
      ...work,
      async repair(isRunning) {
        sweeps += 1
        if (sweeps % sweepsPerForget === 1) await work.forgetOld(isRunning)
      },
      async claim(candidate, request) {
        // `expire` affects only waiting work. Work of a dead worker is claimed again, or fails if too many of its
        // workers died.
        if (isExpired(candidate)) await work.expire(candidate)
        return work.claim(candidate, request)
      },
    },
  })

  function know({ tenant, id, startedAt }: Candidate, counted?: OpenJob): void {
    // Nobody could poll this process before it started.
    const takenAt = counted === undefined ? Math.max(beganAt, Date.parse(startedAt)) : clock.now()
    // Work requested at another replica may be polled there, so this replica cannot know whether somebody polls it.
    const askedAt = counted === undefined && !isSole ? Number.POSITIVE_INFINITY : takenAt
    known.set(id, { takenAt, askedAt, counted: counted ?? openJobs.count({ tenant }) })
  }

  /** Starts to count work that the worker found in the store, and stops counting work that has ended. */
  function recount(): void {
    const open = worker.open()
    for (const candidate of open) if (!known.has(candidate.id)) know(candidate)
    const ids = new Set(open.map(({ id }) => id))
    for (const [id, { counted }] of known) {
      if (ids.has(id)) continue
      counted.end()
      known.delete(id)
    }
  }

  function isExpired({ id, startedAt }: Candidate): boolean {
    const now = clock.now()
    if (now - Date.parse(startedAt) > longestWaitMs) return true
    const one = known.get(id)
    return one !== undefined && now - one.takenAt > waitMs && now - one.askedAt > askedMs
  }

  function expireWaiting(): void {
    recount()
    for (const candidate of worker.waiting()) {
      if (!isExpired(candidate)) continue
      worker.cancelled(candidate.tenant, candidate.id)
      work.expire(candidate).catch((error: unknown) => {
        const about = { id: candidate.id, error: messageOf(error) }
        logger.error(about, `the expiry of a ${work.what} could not be recorded; it is retried`)
      })
    }
    recount()
  }

  return {
    admit(owner) {
      recount()
      return openJobs.admit(owner)
    },
    take(candidate, counted) {
      if (known.has(candidate.id)) {
        counted?.end()
        return
      }
      know(candidate, counted)
      worker.take({ ...candidate, key: counted?.owner?.accessKey })
    },
    asked(id) {
      const one = known.get(id)
      if (one !== undefined) one.askedAt = Math.max(one.askedAt, clock.now())
    },
    cancel: worker.cancelled,
    start() {
      beganAt = clock.now()
      ticks ??= timers.every(expiryMs, expireWaiting)
      worker.start()
    },
    async stop() {
      ticks?.stop()
      ticks = undefined
      await worker.stop()
    },
  }
}

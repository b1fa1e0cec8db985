import { beginWork, type Clock, isoTime, type Logger, type Timers, type TraceCarrier } from '@assay/service-kit'
import { AssayError, failureSentence, messageOf } from '@assay/service-kit/errors'

/**
 * A claim expires after this time unless it is renewed. If a worker dies, another one takes over its work within 25 s,
 * the sum of this time and the time between two sweeps.
 */
export const leaseMs = 20_000
const renewMs = 5_000
/** Minimum time before a change of `stage` is published. Shorter stages are not published. */
const quietMs = 1_000
/** Maximum number of attempts to record the end of work before it is left to another worker. */
const settleTries = 5

/** Shown for an unexpected error; the service's log has the details. */
const unexpectedFailure = (what: string) =>
  `The ${what} failed because of an error in Assay. Try again; if it fails again, an operator finds the cause in the log.`

export type AbandonReason = 'stopping' | 'cancelled' | 'lost'

/** The progress of work. A change of `stage` is published without waiting for the next renewal. */
export interface WorkProgress {
  stage: string
}

/** Claimed work of any kind: the worker's access to its aggregate. */
export interface ClaimedWork<Progress extends WorkProgress = never> {
  /** Name of the work for people: 'run', 'profile'. */
  what: string
  /** Fields of its log lines. */
  about: Readonly<Record<string, string | number>>
  /** Trace context of the request for the work. Omitted if unknown. */
  trace?: TraceCarrier | undefined
  /** Renews the claim and records the progress. `held`: this worker still has the work. */
  renew(at: string, until: string, progress: Progress | null): Promise<'held' | 'cancelled' | 'lost'>
  /** Does the work. The results count only if `succeed` of the answer returns true. */
  carryOut(options: {
    /** Aborts when the work must stop. */
    signal: AbortSignal
    onProgress(progress: Progress): void
    /** Rejects if this worker may have lost the work. Called before results become visible. */
    confirm(): Promise<void>
  }): Promise<DoneWork>
  /** Records that the work failed. */
  fail(at: string, error: string): Promise<void>
  /** Releases the claim. */
  release(at: string): Promise<void>
}

export interface DoneWork {
  /** Records the end of the work. Returns whether this result counts. */
  succeed(): Promise<boolean>
  /** Removes the results of the work. Omitted if it has none. */
  discard?(): Promise<void>
}

/** Work that this worker holds the lease of. */
export interface LeasedWork {
  /** Ends the work without a result. `stopping` also releases the claim. */
  abandon(reason: AbandonReason): void
  /** Never rejects. */
  ended: Promise<void>
}

/** Does claimed work to its end, and renews the claim meanwhile. */
export function createLeasedWork<Progress extends WorkProgress>(
  deps: { clock: Clock; timers: Timers; logger: Logger },
  claimed: ClaimedWork<Progress>,
  /** When the claim expires, ISO 8601 UTC. */
  claimedUntil: string,
): LeasedWork {
  const { clock, timers, logger } = deps
  const { what, about } = claimed
  const aborting = new AbortController()
  let abandoned: AbandonReason | undefined
  let latest: Progress | null = null
  let publishedStage: string | undefined
  let publishedAt = clock.now()
  let until = Date.parse(claimedUntil)
  let renewal: Promise<void> | undefined
  let failure: unknown

  const abandon = (reason: AbandonReason) => {
    if (abandoned) return
    abandoned = reason
    aborting.abort(new AssayError('unavailable', `The work on this ${what} was ended.`))
  }

  /** Renews the claim, and abandons the work if the claim is lost. */
  const renew = async () => {
    const at = clock.now()
    try {
      const answer = await claimed.renew(isoTime(at), isoTime(at + leaseMs), latest)
      if (answer === 'held') until = at + leaseMs
      else abandon(answer)
      publishedAt = at
      publishedStage = latest?.stage
    } catch (error) {
      logger.warn({ ...about, error: messageOf(error) }, `the claim of a ${what} could not be renewed`)
      if (clock.now() >= until) abandon('lost')
    }
  }
  const renewOnce = (): Promise<void> => {
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  const onProgress = (progress: Progress) => {
    latest = progress
    if (progress.stage !== publishedStage && clock.now() - publishedAt >= quietMs) void renewOnce()
  }

  /** Records the end of the work; `undefined` if the log does not answer. */
  const settle = async <T>(write: () => Promise<T>): Promise<T | undefined> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write()
      } catch (error) {
        logger.error({ ...about, error: messageOf(error) }, `the end of a ${what} could not be recorded`)
        if (attempt === settleTries || clock.now() >= until) return undefined
        await timers.sleep(1_000)
      }
    }
  }

  const fail = async (error: unknown) => {
    failure = error
    const sentence = failureSentence(error)
    const stack = error instanceof Error ? error.stack : undefined
    if (sentence === undefined)
      logger.error({ ...about, error: messageOf(error), stack }, `a ${what} failed unexpectedly`)
    else logger.info({ ...about, reason: sentence }, `a ${what} failed`)
    const at = isoTime(clock.now())
    await settle(() => claimed.fail(at, sentence ?? unexpectedFailure(what)))
  }

  const work = async () => {
    const renewals = timers.every(renewMs, () => void renewOnce())
    try {
      const done = await claimed.carryOut({
        signal: aborting.signal,
        onProgress,
        confirm: async () => {
          if (clock.now() > until - leaseMs / 2) await renewOnce()
          aborting.signal.throwIfAborted()
        },
      })
      const counts = await settle(() => done.succeed())
      // Removes this claim's files if the result does not count, because the work was just cancelled or another worker
      // has claimed it. If the end could not be recorded, the files stay and the next worker decides.
      if (counts === false) await done.discard?.()
    } catch (error) {
      if (abandoned === undefined) await fail(error)
      if (abandoned === 'stopping') await settle(() => claimed.release(isoTime(clock.now())))
    } finally {
      renewals.stop()
    }
  }
  const span = beginWork(`work on a ${what}`, {
    kind: 'consumer',
    from: claimed.trace ?? {},
    attributes: () => Object.fromEntries(Object.entries(about).map(([name, value]) => [`assay.${name}`, value])),
  })
  const ended = span
    .within(work)
    .catch((error: unknown) => {
      failure = error
      logger.error({ ...about, error: messageOf(error) }, `the work on a ${what} did not end cleanly`)
    })
    .finally(() => span.end(failure ?? abandoned))

  return { abandon, ended }
}

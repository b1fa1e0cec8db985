import type { Clock, Timers } from '@assay/service-kit'
import type { Lease, Leases } from './lease.ts'
import { createMutex } from './mutex.ts'

/** How often a waiting process checks whether the lease is free. */
const lookMs = 1_000

/** Work that one process at a time may do. Both methods are called repeatedly, one after the other. */
export interface ExclusiveWork {
  start(): Promise<void>
  /** Must end even if the stores do not answer: until then the lease is not served. */
  stop(): Promise<void>
}

/** Runs work in the process that holds a lease. */
export interface Exclusive {
  /** Whether this process holds the lease, as far as it knows. */
  isHolder(): boolean
  /** Of the lease that was held last; higher than those of all earlier holders while work is started under it. */
  fence(): number
  /**
   * Starts the work while the lease is held. Answers a function that removes the work, which resolves when it has
   * stopped.
   */
  join(work: ExclusiveWork): () => Promise<void>
}

/**
 * Leader election: one lease for all work of a service. It is renewed after each third of `ttlMs` (default 5 s); when a
 * process dies, another follows within `ttlMs` and a second, six seconds in all, so that publishing pauses briefly. A
 * holder that could not renew in time stops its work by itself. A process that was paused for longer may repeat some of
 * the next holder's work before it notices, so work must be idempotent, like event handlers.
 */
export function createExclusive(options: {
  leases: Leases
  /** Of the lease. */
  name: string
  /** Unique among processes. */
  owner: string
  timers: Timers
  clock: Clock
  onError(error: unknown): void
  ttlMs?: number
}): Exclusive {
  const { leases, name, owner, timers, clock, onError, ttlMs = 5_000 } = options
  const stepMs = ttlMs / 3
  const mutex = createMutex()
  const works = new Set<ExclusiveWork>()
  const started = new Set<ExclusiveWork>()
  let lease: Lease | undefined
  let fence = 0
  let validUntil = 0
  let wakeUp = new AbortController()
  let running: Promise<void> | undefined

  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }

  async function stopWorks(which: Iterable<ExclusiveWork>): Promise<void> {
    for (const work of [...which]) {
      if (!started.delete(work)) continue
      await attempt(() => work.stop())
    }
  }

  async function acquire(): Promise<void> {
    const asked = clock.now()
    const acquired = await leases.acquire(name, owner, ttlMs)
    validUntil = asked + ttlMs
    // The answer took so long that the lease may have expired. The next attempt takes it over.
    lease = clock.now() < validUntil ? acquired : undefined
    fence = lease?.fence ?? fence
  }

  /** False when it is lost. Without an answer it counts as held until it expires. */
  async function renew(held: Lease): Promise<boolean> {
    const asked = clock.now()
    try {
      const isRenewed = await held.renew()
      if (isRenewed && lease === held) validUntil = asked + ttlMs
      return isRenewed
    } catch (error) {
      onError(error)
      return clock.now() < validUntil
    }
  }

  /** Acquires or renews the lease, and waits for the answer no longer than the current one is valid. */
  async function ask(): Promise<void> {
    if (lease === undefined) {
      await attempt(acquire)
      return
    }
    const over = new AbortController()
    const late = timers.sleep(Math.max(0, validUntil - clock.now()), over.signal).then(() => false)
    const isHeld = await Promise.race([renew(lease), late])
    over.abort()
    // Once expired, another process may hold it. This process can acquire it again.
    if (!isHeld) lease = undefined
  }

  async function step(): Promise<void> {
    await ask()
    if (lease === undefined) {
      await stopWorks(started)
      return
    }
    for (const work of works) {
      if (started.has(work)) continue
      if (await attempt(() => work.start())) started.add(work)
    }
  }

  async function run(): Promise<void> {
    while (works.size > 0) {
      await mutex.run(step)
      if (works.size === 0) break
      await timers.sleep(lease === undefined ? Math.min(stepMs, lookMs) : stepMs, wakeUp.signal)
      if (wakeUp.signal.aborted) wakeUp = new AbortController()
    }
    const held = lease
    lease = undefined
    if (held !== undefined) await attempt(() => held.release())
  }

  function keepRunning(): void {
    if (running !== undefined) {
      wakeUp.abort()
      return
    }
    running = run().finally(() => {
      running = undefined
      // Work that joined while the last one left.
      if (works.size > 0) keepRunning()
    })
  }

  return {
    // After a pause of the process the lease may have expired, so check the time as well.
    isHolder: () => lease !== undefined && clock.now() < validUntil,
    fence: () => fence,
    join(work) {
      works.add(work)
      keepRunning()
      return async () => {
        works.delete(work)
        wakeUp.abort()
        await mutex.run(() => stopWorks([work]))
        // The last one waits until the lease is released, so that the next process gets it immediately.
        if (works.size === 0) await running
      }
    },
  }
}

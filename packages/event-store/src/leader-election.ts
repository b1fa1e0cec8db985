import type { Clock, Timers } from '@assay/service-kit'
import type { Lease, Leases } from './lease.ts'
import { createMutex } from './mutex.ts'

/** How often a waiting process checks whether the lease is free. */
const checkMs = 1_000

/** Work for one process at a time. `start` and `stop` are called alternately. */
export interface LeaderWork {
  start(): Promise<void>
  /** Must resolve even if the stores do not answer, because the lease is not renewed until it does. */
  stop(): Promise<void>
}

/** Runs work only in the process that holds the lease. */
export interface LeaderElection {
  /** Whether this process holds the lease, as far as it knows. */
  isLeader(): boolean
  /**
   * The fence of the last lease of this process; while work runs, it is higher than the fences of all earlier holders.
   */
  fence(): number
  /** Runs the work while this process holds the lease. Returns a function that stops and removes it. */
  join(work: LeaderWork): () => Promise<void>
}

/**
 * Leader election: one lease for all work of a service. It is renewed after each third of `ttlMs` (default 5 s); if a
 * process dies, another one takes over within `ttlMs` plus a second (six seconds by default). A holder that cannot
 * renew in time stops its work. A process that was paused for longer may repeat some of the next holder's work before
 * it notices, so work must be idempotent, like event handlers.
 */
export function createLeaderElection(options: {
  leases: Leases
  /** The name of the lease. */
  name: string
  /** Unique among processes. */
  owner: string
  timers: Timers
  clock: Clock
  onError(error: unknown): void
  ttlMs?: number
}): LeaderElection {
  const { leases, name, owner, timers, clock, onError, ttlMs = 5_000 } = options
  const stepMs = ttlMs / 3
  const mutex = createMutex()
  const works = new Set<LeaderWork>()
  const started = new Set<LeaderWork>()
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

  async function stopWorks(which: Iterable<LeaderWork>): Promise<void> {
    for (const work of [...which]) {
      if (!started.delete(work)) continue
      await attempt(() => work.stop())
    }
  }

  async function acquire(): Promise<void> {
    const asked = clock.now()
    const acquired = await leases.acquire(name, owner, ttlMs)
    validUntil = asked + ttlMs
    // If the answer took too long, the lease may have expired. The next attempt then acquires it again.
    lease = clock.now() < validUntil ? acquired : undefined
    fence = lease?.fence ?? fence
  }

  /** False if the lease is lost. Without an answer, it counts as held until it expires. */
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

  /** Acquires or renews the lease. A renewal is awaited only until the current lease expires. */
  async function acquireOrRenew(): Promise<void> {
    if (lease === undefined) {
      await attempt(acquire)
      return
    }
    const over = new AbortController()
    const late = timers.sleep(Math.max(0, validUntil - clock.now()), over.signal).then(() => false)
    const isHeld = await Promise.race([renew(lease), late])
    over.abort()
    // Another process may hold an expired lease. Otherwise this process can acquire it again.
    if (!isHeld) lease = undefined
  }

  async function step(): Promise<void> {
    await acquireOrRenew()
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
      await timers.sleep(lease === undefined ? Math.min(stepMs, checkMs) : stepMs, wakeUp.signal)
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
      // Covers work that joined while the loop ended.
      if (works.size > 0) keepRunning()
    })
  }

  return {
    // After a pause of the process the lease may have expired, so check the time as well.
    isLeader: () => lease !== undefined && clock.now() < validUntil,
    fence: () => fence,
    join(work) {
      works.add(work)
      keepRunning()
      return async () => {
        works.delete(work)
        wakeUp.abort()
        await mutex.run(() => stopWorks([work]))
        // The last work to stop also waits until the lease is released, so that the next process gets it immediately.
        if (works.size === 0) await running
      }
    },
  }
}

import type { Clock, Timers } from '@assay/service-kit'
import type { Lease, Leases } from './lease.ts'
import { createMutex } from './mutex.ts'

/** How often one that waits looks whether the lease is free. */
const lookMs = 1_000

/** Something that one process at a time may do. Both are called again and again, in turns. */
export interface ExclusiveWork {
  start(): Promise<void>
  /** Must end even when the stores do not answer: until then nothing else is done about the lease. */
  stop(): Promise<void>
}

/** Runs works in the one process that holds a lease. */
export interface Exclusive {
  /** Whether this process holds the lease, as far as it knows. */
  isHolder(): boolean
  /** The work is started while the lease is held. Answers the way out of it, which resolves when the work has stopped. */
  join(work: ExclusiveWork): () => Promise<void>
}

/**
 * One lease for all works of a service. The lease is renewed after each third of `ttlMs` (default 5 s); a process that
 * dies is followed by another within `ttlMs` and a second: six seconds, so that nobody waits long for what is published. A holder that could not renew until the end of its time stops
 * its works by itself. A process that was paused for longer may do some of the next holder's work a second time before it
 * finds out: works must bear that, as they bear to get an event twice.
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
    // An answer that came so late says nothing of now. The next try takes the lease over from this one.
    lease = clock.now() < validUntil ? acquired : undefined
  }

  /** False when it is lost. Without an answer it is held until its end. */
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

  /** Asks for the lease, or for more of it, and waits for the answer no longer than the one in hand is valid. */
  async function ask(): Promise<void> {
    if (lease === undefined) {
      await attempt(acquire)
      return
    }
    const over = new AbortController()
    const late = timers.sleep(Math.max(0, validUntil - clock.now()), over.signal).then(() => false)
    const isHeld = await Promise.race([renew(lease), late])
    over.abort()
    // From its end on another may have it. This process can take it again as one that it held itself.
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
      // A work that joined while the last one left.
      if (works.size > 0) keepRunning()
    })
  }

  return {
    // A process that was paused does not take itself for the holder before it has asked.
    isHolder: () => lease !== undefined && clock.now() < validUntil,
    join(work) {
      works.add(work)
      keepRunning()
      return async () => {
        works.delete(work)
        wakeUp.abort()
        await mutex.run(() => stopWorks([work]))
        // The last one to go waits until the lease is given back, so that the next process has it at once.
        if (works.size === 0) await running
      }
    },
  }
}

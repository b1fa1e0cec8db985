import type { Documents } from '@assay/documents'
import { type Clock, createTenantSlots, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import type { ClaimRequest } from './claim.ts'
import { type ClaimedWork, createLeasedWork, type LeasedWork, leaseMs, type WorkProgress } from './leased-work.ts'
import { openWorkOf } from './open-work.ts'
import { createShortlist } from './shortlist.ts'

/** How often a worker looks for work without a worker, and for starts and ends that were cut off half-way. */
const sweepMs = 5_000
/** Maximum of work queued in memory: the rest is found when this is done. */
const queued = { ofTenant: 200, inAll: 1_000 }
/** While more waits than is queued, only every nth sweep looks at it all. */
const sweepsOfMany = 6

/**
 * Takes what waits and works on it, `maxAtOnce` at a time: the oldest of each tenant first, tenants in turn. A tenant has all
 * slots only while nobody else waits.
 */
export interface Worker {
  start(): void
  /** Hands back what it holds, so that the next start takes it over at once. */
  stop(): Promise<void>
  /** Announces work to take. What was never announced is found by the sweep. */
  take(candidate: Candidate): void
  /** Ends the work on what was cancelled, where this worker has it. */
  cancelled(tenant: string, id: string): void
  /** What waits here. */
  waiting(): readonly Candidate[]
  /** What waits here or is worked on. */
  open(): readonly Candidate[]
}

/** Work of one kind, and how it is claimed. */
export interface WorkSource<Progress extends WorkProgress = never> {
  /** The `kind` of its entries in `openWork`. */
  kind: string
  /** What people call it, for the log: 'run', 'profile'. */
  what: string
  /** `undefined` where there is nothing to do (any more). */
  claim(candidate: Candidate, claim: ClaimRequest): Promise<ClaimedWork<Progress> | undefined>
  /** Closes what a process left behind that died between two writes. Absent: nothing can be left so. */
  mend?(isRunning: () => boolean): Promise<void>
}

export interface WorkerDeps<Progress extends WorkProgress> {
  work: WorkSource<Progress>
  documents: Pick<Documents, 'find'>
  clock: Clock
  timers: Timers
  logger: Logger
  workerId: string
  maxAtOnce: number
  /** At once for one tenant. Absent: `maxAtOnce`. */
  perTenant?: number
  /** No other process works on the log, so the claims of an earlier one are void. Default: false. */
  isSole?: boolean | undefined
}

export interface Candidate {
  tenant: string
  id: string
  /** ISO 8601 UTC: older work comes first. */
  startedAt: string
  /** The access key that requested it, if it is known: keys of a tenant take turns. */
  key?: string | undefined
}

export function createWorker<Progress extends WorkProgress = never>(deps: WorkerDeps<Progress>): Worker {
  const { work, documents, clock, timers, logger, isSole = false } = deps
  const held = new Map<string, { candidate: Candidate; run: LeasedWork }>()
  let claiming: { candidate: Candidate; isCancelled: boolean } | undefined
  let isRunning = false
  /** What waits, as far as this worker knows. */
  const slots = createTenantSlots<Candidate>({
    capacity: deps.maxAtOnce,
    ...(deps.perTenant === undefined ? {} : { perTenant: deps.perTenant }),
    keepsOneForOthers: true,
  })
  let doMoreWait = false
  let sweeps = 0
  let isLookAsked = false
  let taking: Promise<void> | undefined
  let ticks: { stop(): void } | undefined

  const keyOf = (tenant: string, id: string) => `${tenant}/${id}`

  function clear(): void {
    for (const candidate of slots.waiting()) slots.withdraw(candidate.tenant, candidate)
  }

  const add = (candidate: Candidate) => slots.add(candidate.tenant, candidate, candidate.key)

  async function claimable(): Promise<Candidate[]> {
    const shortlist = createShortlist(queued)
    for await (const { tenant, id, since } of openWorkOf(documents, work.kind, isSole ? undefined : clock.now()))
      if (!held.has(keyOf(tenant, id))) shortlist.add({ tenant, id, startedAt: isoTime(since) })
    const { candidates, isCut } = shortlist.taken()
    doMoreWait = isCut
    return candidates
  }

  /** Answers whether this worker holds the work now; its slot is then free again when it ends. */
  async function claim(candidate: Candidate): Promise<boolean> {
    const { tenant, id } = candidate
    if (held.has(keyOf(tenant, id))) return false
    const now = clock.now()
    const until = isoTime(now + leaseMs)
    const trial = { candidate, isCancelled: false }
    claiming = trial
    const claimed = await work
      .claim(candidate, { worker: deps.workerId, at: isoTime(now), until, isSole })
      .finally(() => {
        claiming = undefined
      })
    if (claimed === undefined) return false
    const run = createLeasedWork(deps, claimed, until)
    if (trial.isCancelled) run.abandon('cancelled')
    held.set(keyOf(tenant, id), { candidate, run })
    void run.ended.finally(() => {
      held.delete(keyOf(tenant, id))
      slots.release(tenant)
      proceed()
    })
    return true
  }

  /** Queues the oldest ones first, then what was announced during the look. Keys keep their turns. */
  async function look(): Promise<void> {
    const nameOf = ({ tenant, id }: Candidate) => keyOf(tenant, id)
    const before = new Set(slots.waiting().map(nameOf))
    const found = new Map((await claimable()).map((candidate) => [nameOf(candidate), candidate]))
    const now = slots.waiting()
    clear()
    const known = new Map(now.map((candidate) => [nameOf(candidate), candidate]))
    for (const [name, candidate] of found) add(known.get(name) ?? candidate)
    for (const [name, candidate] of known) if (!found.has(name) && !before.has(name)) add(candidate)
  }

  async function takeNext(): Promise<void> {
    while (isRunning && slots.held < deps.maxAtOnce) {
      if (isLookAsked) {
        isLookAsked = false
        await look()
      }
      const next = slots.take()
      if (next === undefined) return
      const isHeld = await claim(next.item).catch((error: unknown) => {
        slots.release(next.tenant)
        throw error
      })
      if (!isHeld) slots.release(next.tenant)
    }
  }

  /** Whoever asks while one is at it is served by that one, as it looks at the queue to its end. */
  function proceed(): void {
    if (!isRunning || taking !== undefined) return
    taking = takeNext()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, `a ${work.what} could not be taken; it is tried again`)
      })
      .finally(() => {
        taking = undefined
        if (slots.waitingTenants().some((tenant) => !slots.isFull(tenant))) proceed()
      })
  }

  let mending: Promise<void> | undefined
  function tick(): void {
    sweeps += 1
    isLookAsked ||= !doMoreWait || slots.waitingCount < deps.maxAtOnce || sweeps % sweepsOfMany === 1
    proceed()
    if (work.mend === undefined) return
    mending ??= work
      .mend(() => isRunning)
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, `mending what was left of a ${work.what} failed; it is tried again`)
      })
      .finally(() => {
        mending = undefined
      })
  }

  const waiting = () => slots.waiting().filter(({ tenant, id }) => !held.has(keyOf(tenant, id)))

  return {
    take: (candidate) => {
      if (slots.waitingCount < queued.inAll) add(candidate)
      else doMoreWait = true
      proceed()
    },
    cancelled: (tenant, id) => {
      const isIt = (candidate: Candidate) => candidate.tenant === tenant && candidate.id === id
      held.get(keyOf(tenant, id))?.run.abandon('cancelled')
      if (claiming !== undefined && isIt(claiming.candidate)) claiming.isCancelled = true
      for (const candidate of slots.waiting(tenant)) if (isIt(candidate)) slots.withdraw(tenant, candidate)
    },
    waiting,
    open: () => [
      ...[...held.values()].map(({ candidate }) => candidate),
      ...(claiming === undefined ? [] : [claiming.candidate]),
      ...waiting(),
    ],
    start: () => {
      if (isRunning) return
      isRunning = true
      ticks = timers.every(sweepMs, tick)
      tick()
    },
    stop: async () => {
      isRunning = false
      ticks?.stop()
      await taking
      clear()
      await mending
      for (const { run } of held.values()) run.abandon('stopping')
      await Promise.all([...held.values()].map(({ run }) => run.ended))
    },
  }
}

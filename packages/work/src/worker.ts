import type { Documents } from '@assay/documents'
import { type Clock, createTenantSlots, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import type { ClaimRequest } from './claim.ts'
import { type ClaimedWork, createLeasedWork, type LeasedWork, leaseMs, type WorkProgress } from './leased-work.ts'
import { openWorkOf } from './open-work.ts'
import { createShortlist } from './shortlist.ts'

/** How often to look for work without a worker, and for interrupted starts and ends. */
const sweepMs = 5_000
/** Maximum number of candidates queued in memory. Later sweeps find the remaining ones. */
const queued = { ofTenant: 200, inAll: 1_000 }
/** While more work waits than the queue holds, only every nth sweep reads all waiting work. */
const sweepsOfMany = 6

/**
 * Claims and does waiting work, `maxAtOnce` at a time: oldest first within a tenant, round-robin among tenants. A
 * tenant gets all slots only while no other tenant waits.
 */
export interface Worker {
  start(): void
  /** Releases its claims, so that another worker can claim the work immediately. */
  stop(): Promise<void>
  /** Announces work. The sweep finds work that was not announced. */
  take(candidate: Candidate): void
  /** Stops cancelled work if this worker has it. */
  cancelled(tenant: string, id: string): void
  /** The queued candidates. */
  waiting(): readonly Candidate[]
  /** The candidates that are queued or in progress. */
  open(): readonly Candidate[]
}

/** Work of one kind, and how it is claimed. */
export interface WorkSource<Progress extends WorkProgress = never> {
  /** The `kind` of its entries in `openWork`. */
  kind: string
  /** Name of the work in the log: 'run', 'profile'. */
  what: string
  /** `undefined` means that nothing is left to do. */
  claim(candidate: Candidate, claim: ClaimRequest): Promise<ClaimedWork<Progress> | undefined>
  /**
   * Completes work left half done by a process that died between two writes. Omitted if there is nothing to complete.
   */
  repair?(isRunning: () => boolean): Promise<void>
}

export interface WorkerDeps<Progress extends WorkProgress> {
  work: WorkSource<Progress>
  documents: Pick<Documents, 'find'>
  clock: Clock
  timers: Timers
  logger: Logger
  workerId: string
  maxAtOnce: number
  /** Maximum concurrent work of one tenant. Default: `maxAtOnce`. */
  perTenant?: number
  /** No other process works on the log, so all claims of earlier processes are void. Default: false. */
  isSole?: boolean | undefined
}

export interface Candidate {
  tenant: string
  id: string
  /** ISO 8601 UTC: older work comes first. */
  startedAt: string
  /** The access key that requested the work, if known. Work of one tenant is taken round-robin by key. */
  key?: string | undefined
}

export function createWorker<Progress extends WorkProgress = never>(deps: WorkerDeps<Progress>): Worker {
  const { work, documents, clock, timers, logger, isSole = false } = deps
  const held = new Map<string, { candidate: Candidate; run: LeasedWork }>()
  let claiming: { candidate: Candidate; isCancelled: boolean } | undefined
  let isRunning = false
  /** The queue of this worker. */
  const slots = createTenantSlots<Candidate>({
    capacity: deps.maxAtOnce,
    ...(deps.perTenant === undefined ? {} : { perTenant: deps.perTenant }),
    reservesOneForOthers: true,
  })
  let isQueueCut = false
  let sweeps = 0
  let isRefillDue = false
  let taking: Promise<void> | undefined
  let ticks: { stop(): void } | undefined

  const keyOf = (tenant: string, id: string) => `${tenant}/${id}`

  function clear(): void {
    for (const candidate of slots.waiting()) slots.withdraw(candidate.tenant, candidate)
  }

  const add = (candidate: Candidate) => slots.add(candidate.tenant, candidate, candidate.key)

  async function claimable(): Promise<Candidate[]> {
    const shortlist = createShortlist(queued)
    const now = clock.now()
    for await (const { tenant, id, since, state, claimableAt } of openWorkOf(
      documents,
      work.kind,
      isSole ? undefined : now,
    )) {
      // Claims of earlier processes are void, but work that waits until a later time still has to wait.
      if (state === 'waiting' && claimableAt > now) continue
      if (!held.has(keyOf(tenant, id))) shortlist.add({ tenant, id, startedAt: isoTime(since) })
    }
    const { candidates, isCut } = shortlist.taken()
    isQueueCut = isCut
    return candidates
  }

  /** Returns whether this worker has the work now; its slot is freed when the work ends. */
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

  /** Queues the stored candidates first, then work announced meanwhile. The rotation of keys continues. */
  async function refill(): Promise<void> {
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
      if (isRefillDue) {
        isRefillDue = false
        await refill()
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

  /** Starts the loop that empties the queue. No effect while it runs. */
  function proceed(): void {
    if (!isRunning || taking !== undefined) return
    taking = takeNext()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, `a ${work.what} could not be claimed; it is retried`)
      })
      .finally(() => {
        taking = undefined
        if (slots.waitingTenants().some((tenant) => !slots.isFull(tenant))) proceed()
      })
  }

  let repairing: Promise<void> | undefined
  function tick(): void {
    sweeps += 1
    isRefillDue ||= !isQueueCut || slots.waitingCount < deps.maxAtOnce || sweeps % sweepsOfMany === 1
    proceed()
    if (work.repair === undefined) return
    repairing ??= work
      .repair(() => isRunning)
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, `completing an interrupted ${work.what} failed; it is retried`)
      })
      .finally(() => {
        repairing = undefined
      })
  }

  const waiting = () => slots.waiting().filter(({ tenant, id }) => !held.has(keyOf(tenant, id)))

  return {
    take: (candidate) => {
      if (slots.waitingCount < queued.inAll) add(candidate)
      else isQueueCut = true
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
      await repairing
      for (const { run } of held.values()) run.abandon('stopping')
      await Promise.all([...held.values()].map(({ run }) => run.ended))
    },
  }
}

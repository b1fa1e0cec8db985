import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { executions } from '../execution/execution.documents.ts'
import { type Execution, hasEnded } from '../execution/execution.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import type { ExecuteRun } from './execute-run.ts'
import { createHeldRun, type HeldRun, leaseMs } from './held-run.ts'

/** How often a worker looks for runs that nobody works on, and for starts and ends that were cut in the middle. */
const sweepMs = 5_000

/** Takes accepted runs and works on them, `maxRuns` at a time, oldest first. */
export interface Worker {
  start(): void
  /** Hands back what it holds, so that the next start takes it over at once. */
  stop(): Promise<void>
  /** There is a run to take. What nobody told of is found by the sweep. */
  take(candidate: Candidate): void
  /** Ends the work on a run that was cancelled, where this worker has it. */
  cancelled(tenant: string, executionId: number): void
}

export interface WorkerDeps {
  commands: CommandHandler
  documents: Documents
  register: RunRegister
  execute: ExecuteRun
  clock: Clock
  timers: Timers
  logger: Logger
  workerId: string
  maxRuns: number
}

export interface Candidate {
  tenant: string
  /** Of the execution. */
  id: number
  startedAt: string
}

export function createWorker(deps: WorkerDeps): Worker {
  const { commands, documents, register, clock, timers, logger } = deps
  const held = new Map<string, HeldRun>()
  let isRunning = false
  /** Runs that wait, oldest first, as far as this worker knows. */
  let queue: Candidate[] = []
  let isLookAsked = false
  let taking: Promise<void> | undefined
  let ticks: { stop(): void } | undefined

  const keyOf = (tenant: string, id: number) => `${tenant}/${id}`

  async function claimable(): Promise<Candidate[]> {
    const candidates: Candidate[] = []
    const now = isoTime(clock.now())
    for await (const { tenant, document } of documents.scan(executions, { where: [{ field: 'open', is: true }] })) {
      const { executionId, startedAt } = document.run
      if (isClaimable(document, now) && !held.has(keyOf(tenant, executionId))) {
        candidates.push({ tenant, id: executionId, startedAt })
      }
    }
    return candidates.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : a.id - b.id))
  }

  async function claim({ tenant, id }: Candidate): Promise<void> {
    if (held.has(keyOf(tenant, id))) return
    const now = clock.now()
    const command = {
      type: 'ClaimExecution' as const,
      worker: deps.workerId,
      at: isoTime(now),
      until: isoTime(now + leaseMs),
    }
    const claimed = await commands.handle(executionAggregate, { tenant, id, command, context: { actor: 'system' } })
    if (claimed.events.length === 0) return
    if (claimed.state.status === 'failed') {
      await register.end(tenant, claimed.state.run.policy.rule.id, id)
      return
    }
    if (claimed.state.status !== 'running') return
    const run = createHeldRun(deps, tenant, claimed.state)
    held.set(keyOf(tenant, id), run)
    void run.ended.finally(() => {
      held.delete(keyOf(tenant, id))
      proceed()
    })
  }

  async function takeNext(): Promise<void> {
    while (isRunning && held.size < deps.maxRuns) {
      if (isLookAsked) {
        isLookAsked = false
        queue = []
        const found = await claimable()
        // What was told of meanwhile stands in the queue already.
        queue = [...found, ...queue]
      }
      const next = queue.shift()
      if (next === undefined) return
      await claim(next)
    }
  }

  /** Policies whose open run has ended or never began: what a process that died left behind. */
  async function mendStarts(): Promise<void> {
    const open = documents.scan(policyRunsCollection, { where: [{ field: 'open', is: true }] })
    for await (const { tenant, id, document } of open) {
      if (!isRunning) return
      const run = document.open && (await documents.get(executions, tenant, document.open.executionId))
      const isAlive = run && !hasEnded(run.document)
      if (!isAlive) await register.mend(tenant, Number(id))
    }
  }

  /** Whoever asks while one is at it is served by that one, as it looks at the queue to its end. */
  function proceed(): void {
    if (!isRunning || taking !== undefined) return
    taking = takeNext()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'a run could not be taken; it is tried again')
      })
      .finally(() => {
        taking = undefined
        if (queue.length > 0 && held.size < deps.maxRuns) proceed()
      })
  }

  let mending: Promise<void> | undefined
  function tick(): void {
    isLookAsked = true
    proceed()
    mending ??= mendStarts()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'mending the register of runs failed; it is tried again')
      })
      .finally(() => {
        mending = undefined
      })
  }

  return {
    take: (candidate) => {
      queue.push(candidate)
      proceed()
    },
    cancelled: (tenant, executionId) => held.get(keyOf(tenant, executionId))?.abandon('cancelled'),
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
      queue = []
      await mending
      for (const run of held.values()) run.abandon('stopping')
      await Promise.all([...held.values()].map(({ ended }) => ended))
    },
  }
}

function isClaimable(state: Execution, now: string): boolean {
  return state.status === 'waiting' || (state.status === 'running' && state.claim.until <= now)
}

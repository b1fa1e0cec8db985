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
  /** There may be something to take. */
  wake(): void
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

interface Candidate {
  tenant: string
  id: number
  startedAt: string
}

export function createWorker(deps: WorkerDeps): Worker {
  const { commands, documents, register, clock, timers, logger } = deps
  const held = new Map<string, HeldRun>()
  let isRunning = false
  let sweeping: Promise<void> | undefined
  let isAskedAgain = false
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
      wake()
    })
  }

  async function sweep(): Promise<void> {
    if (held.size >= deps.maxRuns) return
    for (const candidate of await claimable()) {
      if (!isRunning || held.size >= deps.maxRuns) return
      await claim(candidate)
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

  async function sweepWhileAsked(): Promise<void> {
    do {
      isAskedAgain = false
      try {
        await sweep()
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'looking for runs to take failed; it is tried again')
      }
    } while (isAskedAgain && isRunning)
  }

  function wake(): void {
    if (!isRunning) return
    if (sweeping !== undefined) {
      isAskedAgain = true
      return
    }
    sweeping = sweepWhileAsked().finally(() => {
      sweeping = undefined
    })
  }

  let mending: Promise<void> | undefined
  function tick(): void {
    wake()
    mending ??= mendStarts()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'mending the register of runs failed; it is tried again')
      })
      .finally(() => {
        mending = undefined
      })
  }

  return {
    wake,
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
      await sweeping
      await mending
      for (const run of held.values()) run.abandon('stopping')
      await Promise.all([...held.values()].map(({ ended }) => ended))
    },
  }
}

function isClaimable(state: Execution, now: string): boolean {
  return state.status === 'waiting' || (state.status === 'running' && state.claim.until <= now)
}

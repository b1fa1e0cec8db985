import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import type { DueTime } from '@assay/work'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'
import { addPoints } from '../series/add-points.ts'
import { type EndedRun, previousRunning } from './policy-runs.ts'
import type { RunStreams } from './run-streams.ts'

/** How long the two appends of a start may lie apart before the start is taken for dead. */
const startTimeoutMs = 30_000

const system: CommandContext = { actor: 'system' }

/**
 * Sees to it that runs of one policy never overlap, also when a process dies between two appends: a run is opened
 * here, then accepted in its own stream; it ends in its own stream, then here, and in between its points come into the
 * series: the next run finds them. What lies between is mended by `mend`.
 */
export interface RunRegister {
  /**
   * Opens a run; `scheduled` where it is due by the schedule. Errors: `unprocessable` while another run of the policy is
   * open, `taken` where the due time was taken by another scheduler.
   */
  open(
    tenant: string,
    policyId: number,
    executionId: number,
    context: CommandContext,
    scheduled?: DueTime,
  ): Promise<void>
  /** The refusal that `open` would meet now; it costs less than an id that is then not used. */
  assertFree(tenant: string, policyId: number): Promise<void>
  /** Closes a run that has ended. Repeating it is harmless. */
  end(tenant: string, policyId: number, executionId: number): Promise<void>
  /** Closes a run whose start failed, unless it was accepted after all. */
  forsake(tenant: string, policyId: number, executionId: number): Promise<void>
  /** Closes the policy's open run where it has ended, or where its start died. Answers whether it is closed now. */
  mend(tenant: string, policyId: number): Promise<boolean>
}

export function createRunRegister(deps: {
  commands: CommandHandler
  documents: Pick<Documents, 'get' | 'put'>
  streams: RunStreams
  clock: Clock
}): RunRegister {
  const { commands, streams, clock } = deps
  const now = () => isoTime(clock.now())

  const close = async (tenant: string, policyId: number, executionId: number, ended: EndedExecution | null) => {
    if (ended !== null) await addPoints(deps, tenant, ended, system)
    const command = { type: 'EndRun' as const, executionId, at: now(), ended: ended && endedRunOf(ended) }
    await streams.handle(tenant, policyId, command, system)
  }

  const end: RunRegister['end'] = async (tenant, policyId, executionId) => {
    const { state } = await commands.load(executionAggregate, tenant, executionId)
    if (hasEnded(state)) await close(tenant, policyId, executionId, state)
  }

  const forsake = async (tenant: string, policyId: number, executionId: number): Promise<boolean> => {
    // Whoever is slow and not dead finds this mark when it comes to accept the run.
    const command = { type: 'ForsakeExecution' as const, at: now() }
    const { state } = await commands.handle(executionAggregate, { tenant, id: executionId, command, context: system })
    if (state.status !== 'forsaken') return false
    await close(tenant, policyId, executionId, null)
    return true
  }

  const mend: RunRegister['mend'] = async (tenant, policyId) => {
    const state = await streams.load(tenant, policyId)
    if (!state.open) return true
    const { executionId, at } = state.open
    const run = await commands.load(executionAggregate, tenant, executionId)
    if (run.state.status === 'none') {
      if (clock.now() - Date.parse(at) < startTimeoutMs) return false
      return forsake(tenant, policyId, executionId)
    }
    if (run.state.status !== 'forsaken' && !hasEnded(run.state)) return false
    await close(tenant, policyId, executionId, hasEnded(run.state) ? run.state : null)
    return true
  }

  return {
    end,
    mend,
    forsake: async (tenant, policyId, executionId) => {
      await forsake(tenant, policyId, executionId)
    },
    open: async (tenant, policyId, executionId, context, scheduled) => {
      const command = { type: 'OpenRun' as const, executionId, at: now(), scheduled }
      await streams.handle(tenant, policyId, command, context)
    },
    assertFree: async (tenant, policyId) => {
      const state = await streams.load(tenant, policyId)
      if (state.open && !(await mend(tenant, policyId))) throw previousRunning(state.open.executionId)
    },
  }
}

function endedRunOf(state: EndedExecution): EndedRun {
  const { executionId, startedAt } = state.run
  return {
    executionId,
    startedAt,
    finishedAt: state.finishedAt,
    executionStatus: executionStatusOf(state),
    resultStatus: resultStatusOf(state),
  }
}

import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'
import type { RunResult } from '../execution/run.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'
import { addPoints } from '../series/add-points.ts'
import { type Due, type EndedRun, type PolicyRuns, previousRunning } from './policy-runs.ts'
import type { RunStreams } from './run-streams.ts'

/** After this many milliseconds without its second append, a start counts as abandoned. */
const startTimeoutMs = 30_000

const system: CommandContext = { actor: 'system' }

/**
 * Ensures that runs of one policy never overlap. A run is opened here and then accepted in its own stream. It ends in
 * its own stream, its points are added to the series, and then it is closed here, so the next run finds the points.
 * `mend` completes these steps if a process dies between two appends.
 */
export interface RunRegister {
  /**
   * Opens a run, and returns the key of the version that earlier runs learned. `due`: the cause of a run that was not
   * requested. Throws `unprocessable` while another run of the policy is open, `taken` if another scheduler took `due`.
   */
  open(
    tenant: string,
    policyId: number,
    executionId: number,
    context: CommandContext,
    due?: Due,
  ): Promise<PolicyRuns['learned']>
  /**
   * Throws the errors that `open` would throw now, so that a refused start takes no id. `seen`: the state that the
   * caller has read, which saves reading it again; `open` decides on the current state.
   */
  assertFree(tenant: string, policyId: number, seen?: PolicyRuns): Promise<void>
  /** Closes a run that has ended. Idempotent. */
  end(tenant: string, policyId: number, executionId: number): Promise<void>
  /** Closes a run whose start failed, unless it was accepted after all. */
  abandon(tenant: string, policyId: number, executionId: number): Promise<void>
  /** Closes the policy's open run if it has ended, or if its start was abandoned. Returns whether it is closed now. */
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

  const abandon = async (tenant: string, policyId: number, executionId: number): Promise<boolean> => {
    // A starter that is only slow finds this event when it accepts the run.
    const command = { type: 'AbandonExecution' as const, at: now() }
    const { state } = await commands.handle(executionAggregate, { tenant, id: executionId, command, context: system })
    if (state.status !== 'abandoned') return false
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
      return abandon(tenant, policyId, executionId)
    }
    if (run.state.status !== 'abandoned' && !hasEnded(run.state)) return false
    await close(tenant, policyId, executionId, hasEnded(run.state) ? run.state : null)
    return true
  }

  return {
    end,
    mend,
    abandon: async (tenant, policyId, executionId) => {
      await abandon(tenant, policyId, executionId)
    },
    open: async (tenant, policyId, executionId, context, due = {}) => {
      const command = { type: 'OpenRun' as const, executionId, at: now(), ...due }
      return (await streams.handle(tenant, policyId, command, context)).learned
    },
    assertFree: async (tenant, policyId, seen) => {
      if (seen?.open === null) return
      const state = await streams.load(tenant, policyId)
      if (state.open && !(await mend(tenant, policyId))) throw previousRunning(state.open.executionId)
    },
  }
}

function endedRunOf(state: EndedExecution): EndedRun {
  const { executionId, startedAt, policy, sides } = state.run
  return {
    executionId,
    startedAt,
    finishedAt: state.finishedAt,
    executionStatus: executionStatusOf(state),
    resultStatus: resultStatusOf(state),
    policyName: policy.name,
    assets: sides.map(({ assetId: id, uid }) => ({ id, uid })),
    ...(state.status === 'succeeded' ? kept(state.result) : {}),
    ...(state.run.itemSelection === null ? {} : { isPartial: true }),
  }
}

const kept = ({ learned, deadline }: RunResult): Pick<EndedRun, 'learned' | 'deadline'> => ({
  ...(learned === undefined ? {} : { learned }),
  ...(deadline === undefined ? {} : { deadline }),
})

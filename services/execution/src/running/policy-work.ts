import type { Artifacts } from '@assay/artifacts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { type ClaimedWork, isTakenOver, openWorkOf, type WorkSource } from '@assay/work'
import type { ExecutionCommand } from '../execution/decide.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { executions, runWork } from '../execution/execution.documents.ts'
import { type ExecutionState, hasEnded } from '../execution/execution.ts'
import type { RunProgress, RunResult } from '../execution/run.ts'
import { openPolicyWork } from '../policy-runs/policy-runs.documents.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import type { ExecuteRun, RunningExecution } from './execute-run.ts'
import { forgetRead, type ReadFirst } from './read-first.ts'
import { startedStatements } from './started-statements.ts'

/** Runs of policies as work. `mend` closes open runs whose process died. */
export function createPolicyWork(deps: {
  commands: CommandHandler
  documents: Documents
  register: RunRegister
  readFirst: ReadFirst
  execute: ExecuteRun
  artifacts: Pick<Artifacts, 'remove'>
  clock: Clock
}): WorkSource<RunProgress> {
  const { commands, documents, register } = deps
  return {
    kind: runWork,
    what: 'run',
    async claim({ tenant, id }, claim) {
      const command = { type: 'ClaimExecution' as const, ...claim }
      const claimed = await commands.handle(executionAggregate, { tenant, id, command, context: { actor: 'system' } })
      if (claimed.events.length === 0) return undefined
      if (claimed.state.status === 'failed') await register.end(tenant, claimed.state.run.policy.id, Number(id))
      return claimed.state.status === 'running' ? claimedRun(deps, tenant, claimed.state) : undefined
    },
    async repair(isRunning) {
      for await (const { tenant, id } of openWorkOf(documents, openPolicyWork)) {
        if (!isRunning()) return
        const [policyId, executionId] = id.split('/').map(Number)
        const run = await documents.get(executions, tenant, executionId ?? 0)
        const isAlive = run && !hasEnded(run.document)
        if (!isAlive) await register.mend(tenant, policyId ?? 0)
      }
    },
  }
}

function claimedRun(
  deps: Parameters<typeof createPolicyWork>[0],
  tenant: string,
  claimed: RunningExecution,
): ClaimedWork<RunProgress> {
  const { run } = claimed
  const { fence } = claimed.claim
  const id = run.executionId
  const policyId = run.policy.id
  const send = (command: ExecutionCommand) =>
    deps.commands.handle(executionAggregate, { tenant, id, command, context: { actor: 'system' } })
  const settle = async (command: ExecutionCommand): Promise<ExecutionState> => {
    const { state } = await send(command)
    if (hasEnded(state)) await deps.register.end(tenant, policyId, id)
    await forgetRead(deps.artifacts, state)
    return state
  }

  return {
    what: 'run',
    about: { tenant, executionId: id, policyId },
    trace: run.trace,
    renew: async (at, until, progress) => {
      const { events, state } = await send({ type: 'ProgressExecution', at, until, fence, progress })
      if (events.length > 0) return 'held'
      return state.status === 'aborted' ? 'cancelled' : 'lost'
    },
    carryOut: async (given) => {
      const statements = startedStatements({
        earlier: claimed.statements,
        note: async (statement) => {
          const noted = await send({ type: 'NoteStatement', fence, at: isoTime(deps.clock.now()), statement })
          return noted.events.length > 0
        },
        isTakenOver: async () => isTakenOver((await deps.commands.load(executionAggregate, tenant, id)).state, fence),
      })
      const options = { ...given, statements }
      const read = await deps.readFirst({ tenant, state: claimed, ...options })
      if (read !== undefined) {
        const { key, until, discard } = read
        const delay = { type: 'DelayExecution' as const, fence, at: isoTime(deps.clock.now()), until, key }
        return { succeed: async () => hasRead(await settle(delay), key), discard }
      }
      const { finishedAt: at, result, discard } = await deps.execute({ tenant, state: claimed, ...options })
      return {
        succeed: async () => endedWith(await settle({ type: 'SucceedExecution', fence, at, result }), result),
        discard,
      }
    },
    fail: async (at, error) => void (await settle({ type: 'FailExecution', fence, at, error })),
    release: async (at) => void (await settle({ type: 'ReleaseExecution', fence, at })),
  }
}

/** Whether the run waits with what this attempt has read. */
function hasRead(state: ExecutionState, key: string): boolean {
  return 'readFirst' in state && state.readFirst?.key === key
}

/** Whether the run ended with this result: no two attempts have the same keys. */
function endedWith(state: ExecutionState, result: RunResult): boolean {
  return state.status === 'succeeded' && state.result.files.metadata.key === result.files.metadata.key
}

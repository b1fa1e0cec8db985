import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { ExecutionCommand } from '../execution/decide.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { type Execution, type ExecutionState, hasEnded } from '../execution/execution.ts'
import type { RunProgress, RunResult } from '../execution/run.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import type { ExecuteRun } from './execute-run.ts'
import { failureSentence, unforeseenFailure } from './failure-sentence.ts'

/** A claim holds this long, unless it is renewed. With the time between two sweeps, a run is taken over within 25 s. */
export const leaseMs = 20_000
const renewMs = 5_000
/** Stages that pass faster are not told. */
const quietMs = 1_000
/** Tries to write down how a run ended; then it is left to whoever takes it over. */
const settleTries = 5

export type AbandonReason = 'stopping' | 'cancelled' | 'lost'
export type RunningExecution = Extract<Execution, { status: 'running' }>

/** A run that this worker has claimed. */
export interface HeldRun {
  /** Ends the work without a result. `stopping` also hands the claim back. */
  abandon(reason: AbandonReason): void
  /** Never rejects. */
  ended: Promise<void>
}

/** Works on a claimed run to its end, and keeps the claim alive meanwhile. */
export function createHeldRun(
  deps: {
    commands: CommandHandler
    register: RunRegister
    execute: ExecuteRun
    clock: Clock
    timers: Timers
    logger: Logger
  },
  tenant: string,
  claimed: RunningExecution,
): HeldRun {
  const { commands, clock, timers, logger } = deps
  const { run } = claimed
  const { fence } = claimed.claim
  const aborting = new AbortController()
  const about = { tenant, executionId: run.executionId, policyId: run.policy.rule.id }
  let abandoned: AbandonReason | undefined
  let latest: RunProgress | null = null
  let toldStage: RunProgress['stage'] | undefined
  let toldAt = clock.now()
  let until = Date.parse(claimed.claim.until)
  let renewal: Promise<void> | undefined

  const tell = (command: ExecutionCommand) =>
    commands.handle(executionAggregate, { tenant, id: run.executionId, command, context: { actor: 'system' } })

  const abandon = (reason: AbandonReason) => {
    if (abandoned) return
    abandoned = reason
    aborting.abort(new AssayError('unavailable', 'The work on this run was ended.'))
  }

  /** Renews the claim and tells the progress; finds out when the run is no longer this worker's. */
  const renew = async () => {
    const at = clock.now()
    try {
      const command = { at: isoTime(at), until: isoTime(at + leaseMs), fence, progress: latest }
      const { events, state } = await tell({ type: 'ProgressExecution', ...command })
      if (events.length === 0) abandon(state.status === 'aborted' ? 'cancelled' : 'lost')
      else until = at + leaseMs
      toldAt = at
      toldStage = latest?.stage
    } catch (error) {
      logger.warn({ ...about, error: messageOf(error) }, 'the claim of a run could not be renewed')
      if (clock.now() >= until) abandon('lost')
    }
  }
  const renewOnce = (): Promise<void> => {
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  const onProgress = (progress: RunProgress) => {
    latest = progress
    if (progress.stage !== toldStage && clock.now() - toldAt >= quietMs) void renewOnce()
  }

  /** Writes down what became of the run. Answers its state then; undefined where the log could not be reached. */
  const settle = async (command: ExecutionCommand): Promise<ExecutionState | undefined> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { state } = await tell(command)
        if (hasEnded(state)) await deps.register.end(tenant, run.policy.rule.id, run.executionId)
        return state
      } catch (error) {
        logger.error({ ...about, error: messageOf(error) }, 'the end of a run could not be written down')
        if (attempt === settleTries || clock.now() >= until) return undefined
        await timers.sleep(1_000)
      }
    }
  }

  const fail = async (error: unknown) => {
    const sentence = failureSentence(error)
    const stack = error instanceof Error ? error.stack : undefined
    if (sentence === undefined) logger.error({ ...about, error: messageOf(error), stack }, 'a run failed unforeseen')
    else logger.info({ ...about, reason: sentence }, 'a run failed')
    const told = sentence ?? unforeseenFailure
    await settle({ type: 'FailExecution', fence, at: isoTime(clock.now()), error: told })
  }

  const work = async () => {
    const renewals = timers.every(renewMs, () => void renewOnce())
    try {
      const done = await deps.execute({
        tenant,
        state: claimed,
        signal: aborting.signal,
        onProgress,
        confirm: async () => {
          if (clock.now() > until - leaseMs / 2) await renewOnce()
          aborting.signal.throwIfAborted()
        },
      })
      const { finishedAt: at, result } = done
      const settled = await settle({ type: 'SucceedExecution', fence, at, result })
      // The files lie below keys of this claim. Unless the run ended with them they are of no use: it was cancelled at the
      // last moment, or another worker has it. Where the end could not be written down, it is left to whoever comes next.
      if (settled !== undefined && !endedWith(settled, result)) await done.discard()
    } catch (error) {
      if (abandoned === undefined) await fail(error)
      if (abandoned === 'stopping') await settle({ type: 'ReleaseExecution', fence, at: isoTime(clock.now()) })
    } finally {
      renewals.stop()
    }
  }
  const ended = work().catch((error: unknown) => {
    logger.error({ ...about, error: messageOf(error) }, 'the work on a run could not be ended in order')
  })

  return { abandon, ended }
}

/** Whether it is this result that counts: no two attempts have the same keys. */
function endedWith(state: ExecutionState, result: RunResult): boolean {
  return state.status === 'succeeded' && state.result.files.metadata.key === result.files.metadata.key
}

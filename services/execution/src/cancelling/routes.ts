import type { Artifacts } from '@assay/artifacts'
import { executionOperations } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, commandContext, isoTime, type Logger, type Route, route } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import type { Worker } from '@assay/work'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import { forgetRead } from '../running/read-first.ts'

/** Cancels runs. A worker in another process notices when it renews its claim. */
export function cancellingRoutes(deps: {
  commands: CommandHandler
  register: RunRegister
  worker: Pick<Worker, 'cancelled'>
  artifacts: Pick<Artifacts, 'remove'>
  clock: Clock
  logger: Logger
}): Route[] {
  const { commands, register, worker, artifacts, clock, logger } = deps
  return [
    route(executionOperations.cancelExecution, async (call) => {
      const { tenant, user } = call.identity
      const executionId = call.params.id
      const command = { type: 'CancelExecution' as const, at: isoTime(clock.now()), by: user }
      const context = commandContext(call)
      const { state } = await commands.handle(executionAggregate, {
        tenant,
        id: executionId,
        command,
        context,
      })
      worker.cancelled(tenant, String(executionId))
      await forgetRead(artifacts, state)
      const requestId = 'run' in state ? state.run.requestId : ''
      if ('run' in state) {
        // The run is cancelled already. If this fails, the next start or the sweep closes it.
        await register.end(tenant, state.run.policy.id, executionId).catch((error: unknown) => {
          logger.warn({ tenant, executionId, error: messageOf(error) }, 'a cancelled run could not be closed yet')
        })
      }
      const message = `Execution ${executionId} was cancelled.`
      const result = { status: 'SUCCESS', message, requestId, isParentAvailable: false, parentList: {} }
      return { body: { result } }
    }),
  ]
}

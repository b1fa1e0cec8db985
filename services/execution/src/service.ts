import { type AnyAggregate, createCommandHandler, createFollowed, createNumberBlocks } from '@assay/event-store'
import type { Service } from '@assay/service-kit'
import { cancellingRoutes } from './cancelling/routes.ts'
import { feedCopies } from './copies/feed.ts'
import { createPolicies } from './copies/find-policy.ts'
import { executionPolicies } from './copies/policies.ts'
import { executionTables } from './copies/tables.ts'
import type { ExecutionServiceDeps } from './dependencies.ts'
import { executionAggregate } from './execution/execution.aggregate.ts'
import { executions } from './execution/execution.documents.ts'
import { policyRunsAggregate } from './policy-runs/policy-runs.aggregate.ts'
import { policyRunsCollection } from './policy-runs/policy-runs.documents.ts'
import { createRunRegister } from './policy-runs/run-register.ts'
import { createRunStreams } from './policy-runs/run-streams.ts'
import { createPublisher } from './publishing/publisher.ts'
import { readingRoutes } from './reading/routes.ts'
import { rowsRoutes } from './rows/routes.ts'
import { createExecuteRun } from './running/execute-run.ts'
import { createWorker } from './running/worker.ts'
import { startingRoutes } from './starting/routes.ts'
import { createStartRun } from './starting/start-run.ts'

export { executionCopies } from './copies/feed.ts'
export { policyCopyPut as executionPolicyPut } from './copies/policies.ts'
export { tableCopyPut as executionTablePut } from './copies/tables.ts'
export type { ExecutionServiceDeps, RunLimits } from './dependencies.ts'
export { executionAggregate } from './execution/execution.aggregate.ts'
export { type DefinitionToPrepare, type PrepareDefinition, prepareDefinition } from './preparing/prepare-definition.ts'

export { executedVersionOf } from './publishing/execution-messages.ts'

/** The documents that this service keeps. */
export const executionCollections = [executions, policyRunsCollection, executionPolicies, executionTables] as const

/** What repair and rebuild fold: the copies of others' policies and tables are not in this log. */
export const executionAggregates: readonly AnyAggregate[] = [executionAggregate, policyRunsAggregate]

/** Starts, carries out and shows runs of policies. The only service that owns their results. */
export function createExecutionService(deps: ExecutionServiceDeps): Service {
  const { documents, clock, timers, logger } = deps
  const commands = createCommandHandler(deps)
  const numbers = createNumberBlocks(deps)
  const register = createRunRegister({ commands, streams: createRunStreams(deps), clock })
  const followed = createFollowed({ documents, timers, collection: executionPolicies })
  const policies = createPolicies({ documents, followed })
  const worker = createWorker({
    ...deps,
    commands,
    register,
    execute: createExecuteRun(deps),
    maxRuns: deps.limits.maxRuns,
  })
  const startRun = createStartRun({
    ...deps,
    commands,
    numbers,
    register,
    accepted: worker.take,
  })
  const publisher = createPublisher(deps)
  let feed: { close(): Promise<void> } | undefined

  return {
    name: 'execution',
    routes: [
      ...startingRoutes({ policies, startRun }),
      ...readingRoutes({ documents, policies, clock }),
      ...rowsRoutes({ documents, artifacts: deps.artifacts }),
      ...cancellingRoutes({ commands, register, worker, clock, logger }),
    ],
    start: async () => {
      feed = await feedCopies({ bus: deps.bus, documents, followed })
      await publisher.start()
      worker.start()
    },
    stop: async () => {
      await worker.stop()
      await feed?.close()
      feed = undefined
      await publisher.stop()
    },
    problems: async () => (feed === undefined ? ['The execution service has not started.'] : []),
  }
}

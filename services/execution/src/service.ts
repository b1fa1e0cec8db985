import { copiesBehind, keepingCopies, topicsOf } from '@assay/catalog-copies'
import {
  type AnyAggregate,
  createCommandHandler,
  createNumberBlocks,
  createReadYourWrites,
  notingWrites,
  streamSnapshots,
} from '@assay/event-store'
import type { FirstBadRows } from '@assay/hosting/ports'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { createDuePoller, createWorker, dueBook, openWork } from '@assay/work'
import { assetProfiles, assetProfilesAggregate } from './asset-profiles/aggregate.ts'
import { cancellingRoutes } from './cancelling/routes.ts'
import { executionAssetSettings } from './copies/asset-settings.ts'
import { executionContainers } from './copies/containers.ts'
import { executionCopies } from './copies/copies.ts'
import { executionDatabases } from './copies/databases.ts'
import { createAssetTargets } from './copies/find-asset.ts'
import { createPolicies } from './copies/find-policy.ts'
import { createFollowPolicies } from './copies/follow-policy.ts'
import { executionPolicies } from './copies/policies.ts'
import { executionTables } from './copies/tables.ts'
import type { ExecutionServiceDeps } from './dependencies.ts'
import { executionAggregate } from './execution/execution.aggregate.ts'
import { executions } from './execution/execution.documents.ts'
import { incidents } from './incidents/incident.documents.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { endedSnoozes } from './incidents/snoozes.ts'
import { createNoteEnds } from './listing/note-ends.ts'
import { createPolicyIds } from './listing/policy-filters.ts'
import { createPolicyPages } from './listing/policy-pages.ts'
import { listingRoutes } from './listing/routes.ts'
import { measuredWork } from './measured-work.ts'
import { createOpenLineage, lineageCounter } from './open-lineage/open-lineage.ts'
import { reportOpenRuns } from './open-runs.ts'
import { policyMetricsRoutes } from './policy-metrics/routes.ts'
import { policyRunsAggregate } from './policy-runs/policy-runs.aggregate.ts'
import { policyRunsCollection, policyTargets } from './policy-runs/policy-runs.documents.ts'
import { createRunRegister } from './policy-runs/run-register.ts'
import { createRunStreams } from './policy-runs/run-streams.ts'
import { createShownEnd } from './policy-runs/shown-end.ts'
import { createBaselines } from './preparing/baseline.ts'
import { type PrepareDefinition, prepareDefinition } from './preparing/prepare-definition.ts'
import { createFollowCatalog } from './profiles/follow-catalog.ts'
import { createProfileWork } from './profiles/profile-work.ts'
import { createRequestProfile } from './profiles/request-profile.ts'
import { profileRoutes } from './profiles/routes.ts'
import { isPublic } from './publishing/execution-messages.ts'
import { createPublisher } from './publishing/publisher.ts'
import { createShownRuns } from './reading/masked-outcomes.ts'
import { readingRoutes } from './reading/routes.ts'
import { executionTagCopies, executionTemplates, executionVariables } from './references/copies.ts'
import { createRetention } from './retention/retention.ts'
import { createFirstBadRows } from './rows/first-bad-rows.ts'
import { createLocalCopies } from './rows/local-copies.ts'
import { createMasksFor } from './rows/mask.ts'
import { rowsRoutes } from './rows/routes.ts'
import { createRowPages } from './rows/row-pages.ts'
import { createVisibleRows } from './rows/visible-rows.ts'
import { createExecuteRun } from './running/execute-run.ts'
import { createPolicyWork } from './running/policy-work.ts'
import { createReadFirst } from './running/read-first.ts'
import { deadlineRuns } from './scheduling/deadline-runs.ts'
import { dueProfiles } from './scheduling/due-profiles.ts'
import { schedulingRoutes } from './scheduling/routes.ts'
import { scheduledRuns } from './scheduling/scheduled-runs.ts'
import { tableWalks } from './scheduling/table-walks.ts'
import { triggeredRuns } from './scheduling/triggered-runs.ts'
import { seriesRoutes } from './series/routes.ts'
import { seriesDayAggregate } from './series/series.aggregate.ts'
import { seriesDays, seriesRuns } from './series/series.documents.ts'
import { startingRoutes } from './starting/routes.ts'
import { createEndOfRun } from './starting/run-ends.ts'
import { createStartRun } from './starting/start-run.ts'
import { tableWalkAggregate } from './table-walks/table-walk.aggregate.ts'
import { keptVersions, versionAggregate } from './versions/version.ts'
import { createVersions } from './versions/versions.ts'
import { whatIfRoutes } from './what-if/routes.ts'

export { executionCopies } from './copies/copies.ts'
export { executionPolicies, policyCopyPut } from './copies/policies.ts'
export type { ExecutionServiceDeps, RunLimits } from './dependencies.ts'
export { executionAggregate } from './execution/execution.aggregate.ts'
export { policyRunsAggregate } from './policy-runs/policy-runs.aggregate.ts'
export { policyRunsCollection } from './policy-runs/policy-runs.documents.ts'
export type { DefinitionToPrepare, PrepareDefinition } from './preparing/prepare-definition.ts'
export { executedVersionOf } from './publishing/execution-messages.ts'
export { readHistories } from './series/read-histories.ts'
export { seriesDays, seriesRuns } from './series/series.documents.ts'

/** The collections of this service. */
export const executionCollections = [
  executions,
  openWork,
  keptVersions,
  assetProfiles,
  policyRunsCollection,
  policyTargets,
  incidents,
  dueBook,
  seriesDays,
  seriesRuns,
  executionPolicies,
  executionTables,
  executionContainers,
  executionTagCopies.tags,
  executionTagCopies.associations,
  executionVariables,
  executionTemplates,
  executionAssetSettings,
  executionDatabases,
  streamSnapshots,
] as const

/** The aggregates of repair and rebuild. Local read models of other services are not in this log. */
export const executionAggregates: readonly AnyAggregate[] = [
  executionAggregate,
  versionAggregate,
  assetProfilesAggregate,
  tableWalkAggregate,
  policyRunsAggregate,
  seriesDayAggregate,
]

/** `firstBadRows`: for the notification service. `prepare`: the check of definitions, for the policy service. */
export type ExecutionService = Service & { firstBadRows: FirstBadRows; prepare: PrepareDefinition }

/** Starts, executes and shows runs of policies, and owns their results. */
export function createExecutionService(deps: ExecutionServiceDeps): ExecutionService {
  const { documents, engine, clock, timers, logger } = deps
  const commands = createCommandHandler({
    ...deps,
    commit: measuredWork(notingWrites(deps.commit, isPublic), deps.metrics),
  })
  const versions = createVersions({ documents, commands })
  const numbers = createNumberBlocks(deps)
  const streams = createRunStreams(commands)
  const register = createRunRegister({ commands, documents, streams, clock })
  const readYourWrites = createReadYourWrites({ timers, missing: copiesBehind(documents, executionCopies) })
  const following = createFollowPolicies({ documents, streams, checkpoints: deps.checkpoints, clock })
  const policies = createPolicies({ documents, readYourWrites })
  const assets = createAssetTargets(documents)
  const ids = createPolicyIds({ documents, assets })
  const worker = createWorker({
    ...deps,
    work: createPolicyWork({
      ...deps,
      ...{ commands, register },
      readFirst: createReadFirst({ ...deps, versions }),
      execute: createExecuteRun({ ...deps, versions }),
    }),
    maxAtOnce: deps.limits.maxRuns,
    isSole: deps.soleInstance,
  })
  const profiler = createWorker({
    ...deps,
    work: createProfileWork({ ...deps, commands, streams }),
    maxAtOnce: 1,
    isSole: deps.soleInstance,
  })
  const requestProfile = createRequestProfile({ ...deps, commands, numbers, worker: profiler })
  const profiling = createFollowCatalog({ ...deps, commands })
  const startRun = createStartRun({
    ...deps,
    commands,
    versions,
    numbers,
    register,
    accepted: worker.take,
  })
  const shownEnd = createShownEnd({ documents, timers })
  const endOfRun = createEndOfRun({ documents, clock, timers, shownEnd })
  const schedules = createDuePoller({
    ...deps,
    kinds: [
      scheduledRuns({ documents, streams, startRun, clock }),
      triggeredRuns({ documents, streams, startRun }),
      endedSnoozes({ streams, clock }),
      deadlineRuns({ documents, streams, startRun, clock }),
      tableWalks({ commands, documents, profiling, clock }),
      ...dueProfiles({ commands, documents, requestProfile, clock, logger }),
    ],
  })
  const retention = createRetention({ ...deps, commands })
  const publisher = createPublisher({ ...deps, commands, versions })
  const openRunsReport = reportOpenRuns(deps)
  let feed: { close(): Promise<void> } | undefined
  let catchingUp: Promise<void> | undefined

  const masksFor = createMasksFor({ documents, readYourWrites })
  const shownRuns = createShownRuns({ masksFor, documents, versions })
  const sent = lineageCounter(deps.metrics)
  const lineage = deps.lineage && createOpenLineage({ ...deps, lineage: deps.lineage, sent, shownRuns })
  const copies = createLocalCopies(deps)
  const noteEnds = createNoteEnds({ documents, register, shownEnd })
  const visibleRows = createVisibleRows({ masksFor, documents })
  const rowPages = createRowPages({ ...deps, copies })
  const pages = createPolicyPages({ documents, noteEnds, shownRuns })
  const prepare = prepareDefinition(
    engine,
    timers,
    documents,
    createBaselines({ documents, engine, versions, timers, clock }),
  )

  return {
    name: 'execution',
    firstBadRows: createFirstBadRows({ documents, versions, visibleRows, pages: rowPages }),
    prepare: async (definition) => {
      const { tenant, caller = '', seen } = definition
      await readYourWrites({ tenant, caller, seen })
      return prepare(definition)
    },
    routes: [
      ...startingRoutes({ policies, startRun, readYourWrites, endOfRun, shownRuns, clock }),
      ...readingRoutes({ documents, policies, ids, clock, shownRuns }),
      ...listingRoutes({ documents, readYourWrites, assets, ids, pages }),
      ...policyMetricsRoutes({ documents, shownRuns }),
      ...seriesRoutes({ documents, commands, policies, shownRuns }),
      ...incidentRoutes({ documents, commands, ids, noteEnds, shownRuns, clock }),
      ...whatIfRoutes({ documents, policies, shownRuns, clock }),
      ...schedulingRoutes({ documents, policies, clock }),
      ...rowsRoutes({ ...deps, pages: rowPages, visibleRows, versions }),
      ...profileRoutes({ ...deps, commands, assets, requestProfile, readYourWrites, worker: profiler }),
      ...cancellingRoutes({ ...deps, commands, register, worker }),
    ],
    start: async () => {
      const handle = keepingCopies({
        documents,
        copies: executionCopies,
        before: {
          policies: following.policy,
          assemblies: profiling.assembly,
          tables: async (tenant, table) => {
            await following.changedTable(tenant, table)
            await profiling.changedTable(tenant, table)
          },
        },
        after: {
          tables: async (tenant, table) => {
            await following.table(tenant, table)
            await profiling.table(tenant, table)
          },
          assetSettings: (tenant, { assetId }) => profiling.schedule(tenant, assetId),
        },
      })
      feed = await deps.bus.subscribe({ topics: topicsOf(executionCopies), group: 'execution', handle })
      catchingUp = following
        .catchUp()
        .then(profiling.catchUp)
        .catch((error: unknown) => {
          logger.warn(
            { error: messageOf(error) },
            'older policies are not in lists, or older schedules of profiles not kept, yet; the next start tries again',
          )
        })
      await publisher.start()
      await lineage?.start()
      worker.start()
      profiler.start()
      schedules.start()
      retention.start()
      copies.start()
      openRunsReport.start()
    },
    stop: async () => {
      await catchingUp
      await openRunsReport.stop()
      await schedules.stop()
      await retention.stop()
      await worker.stop()
      await profiler.stop()
      await copies.stop()
      await feed?.close()
      feed = undefined
      await lineage?.stop()
      await publisher.stop()
    },
    problems: async () => (feed === undefined ? ['The execution service has not started.'] : []),
  }
}

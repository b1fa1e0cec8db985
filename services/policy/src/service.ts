import { copiesBehind, keepingCopies, topicsOf } from '@assay/catalog-copies'
import {
  type AnyAggregate,
  createCommandHandler,
  createNumberBlocks,
  createReadYourWrites,
  createReservations,
  notingWrites,
  type Processor,
  type ProcessorOptions,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { suggestionAcceptance } from './authoring/accept-suggestions.ts'
import { archiveRoutes } from './authoring/archive.ts'
import { createAutoAnomaly } from './authoring/auto-anomaly.ts'
import { createChecksFor } from './authoring/checks.ts'
import { createCreating, createRoutes } from './authoring/create.ts'
import { createDisabling } from './authoring/disable-of-deleted-table.ts'
import { enableRoutes } from './authoring/enable.ts'
import { createNewPolicy } from './authoring/new-policy.ts'
import { updateRoutes } from './authoring/update.ts'
import { configurationRoutes } from './configuration/routes.ts'
import { policyAssemblies } from './copies/assemblies.ts'
import { policyCopies } from './copies/copies.ts'
import { executedVersions } from './copies/executed-versions.ts'
import { policyTables } from './copies/tables.ts'
import { policyTemplates } from './copies/templates.ts'
import { createCompleteNames } from './definition/portable-names.ts'
import { createTables } from './definition/targets.ts'
import type { PolicyServiceDeps } from './dependencies.ts'
import { createNamesFollower } from './names/follower.ts'
import { createPolicyNames } from './names/names.ts'
import { persistenceAggregate, persistenceConfigs } from './persistence/aggregate.ts'
import { persistenceConfigRoutes } from './persistence/config-routes.ts'
import { createStorageFollower } from './persistence/follower.ts'
import { createPropagation } from './persistence/propagation.ts'
import { createStorages } from './persistence/storages.ts'
import { templateRoutes } from './persistence/template-routes.ts'
import { policies, policyAggregate } from './policy/aggregate.ts'
import { createPublisher } from './publishing/publisher.ts'
import { createPolicies } from './reading/find-policy.ts'
import { listRoutes } from './reading/list-routes.ts'
import { readRoutes } from './reading/read-routes.ts'
import { suggestionRoutes } from './reading/suggestion-routes.ts'
import { versionRoutes } from './reading/version-routes.ts'
import { createVersions } from './reading/versions.ts'
import { ruleTagRoutes } from './rule-tags/routes.ts'
import { ruleTagAggregate, ruleTags } from './rule-tags/rule-tag.ts'
import { scheduleRoutes } from './schedule/routes.ts'

export { policyCopies } from './copies/copies.ts'
export type { PolicyServiceDeps } from './dependencies.ts'
export { policyAggregate } from './policy/aggregate.ts'
export { policyMessageOf } from './publishing/policy-messages.ts'
export type { ScheduleContract } from './schedule/support.ts'

/** Collections, for the documents adapter. */
export const policyCollections = [
  policies,
  policyAssemblies,
  policyTables,
  policyTemplates,
  executedVersions,
  persistenceConfigs,
  ruleTags,
  streamSnapshots,
] as const

/** Aggregates for repair and rebuild. Local read models of other services' records come from the bus. */
export const policyAggregates: readonly AnyAggregate[] = [policyAggregate, persistenceAggregate, ruleTagAggregate]

/** Owns policies: their definitions, versions, names, and where their results are stored. Never runs a policy. */
export function createPolicyService(deps: PolicyServiceDeps): Service {
  const { store, documents, checkpoints, bus, clock, timers, newId, logger } = deps
  const { scheduleContract = 'guide' } = deps
  const handler = createCommandHandler({ ...deps, commit: notingWrites(deps.commit, () => true) })
  const numbers = createNumberBlocks({ store, clock, timers, newId })
  const names = createPolicyNames(createReservations({ store, clock, timers, newId }), async (tenant, id) => {
    const { state } = await handler.load(policyAggregate, tenant, id)
    return state.status === 'active' ? state.definition.name : null
  })
  const tables = createTables(documents)
  const completeNames = createCompleteNames(documents)
  const readYourWrites = createReadYourWrites({ timers, missing: copiesBehind(documents, policyCopies) })
  const checking = { tables, numbers, prepare: deps.prepare, scheduleContract, completeNames }
  const checksFor = createChecksFor({ ...checking, readYourWrites })
  const found = createPolicies(documents)
  const storages = createStorages({ handler })
  const propagation = createPropagation({ documents, handler, storages, clock, timers })
  const versions = createVersions({ store, documents })
  const createPolicy = createNewPolicy({ handler, names, numbers, storages, clock })
  const autoAnomaly = createAutoAnomaly({ documents, createPolicy, readYourWrites })
  const disable = createDisabling({ documents, handler, clock })
  const create = createCreating({ checksFor, createPolicy })

  const onError =
    (doing: string): ProcessorOptions['onError'] =>
    (error, { event, parked }) =>
      logger.error({ stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }, doing)
  const { makeProcessor } = deps
  const processing = { store, checkpoints, timers, clock, ...(makeProcessor ? { makeProcessor } : {}) }
  const processors: Processor[] = [
    createPublisher({
      ...processing,
      documents,
      bus,
      onError: onError('a policy event was not published'),
    }),
    createNamesFollower({
      ...processing,
      names,
      onError: onError('policy names were not updated from the log'),
    }),
    createStorageFollower({
      ...processing,
      propagation,
      onError: onError('a persistence configuration was not applied to its policies'),
    }),
  ]
  let subscription: Subscription | undefined

  return {
    name: 'policy',
    routes: [
      ...createRoutes(create),
      suggestionAcceptance({ tables, readYourWrites, create }),
      ...autoAnomaly.routes,
      ...updateRoutes({ handler, checksFor, names, clock, timers, policies: found }),
      ...archiveRoutes({ handler, names, clock, policies: found, tables }),
      ...enableRoutes({ handler, clock, tables, readYourWrites }),
      ...listRoutes({ documents }),
      ...versionRoutes({ policies: found, versions }),
      ...suggestionRoutes({ tables, readYourWrites }),
      ...readRoutes({ policies: found, versions, readYourWrites }),
      ...scheduleRoutes({ handler, policies: found, clock, contract: scheduleContract }),
      ...configurationRoutes({ handler, policies: found, storages, clock, timers }),
      ...persistenceConfigRoutes({ handler, documents, propagation, clock }),
      ...templateRoutes({ clock, newId }),
      ...ruleTagRoutes({ handler, documents, numbers, clock }),
    ],
    async start() {
      const handle = keepingCopies({
        documents,
        copies: policyCopies,
        after: {
          tables: async (tenant, table) => {
            await disable(tenant, table)
            await autoAnomaly.table(tenant, table)
          },
          assemblies: autoAnomaly.assembly,
        },
      })
      subscription = await bus.subscribe({ topics: topicsOf(policyCopies), group: 'policy', handle })
      for (const processor of processors) await processor.start()
    },
    async stop() {
      await subscription?.close()
      subscription = undefined
      for (const processor of processors) await processor.stop()
    },
    async problems() {
      // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
      // replica out of service.
      return subscription === undefined ? ['The policy service has not started.'] : []
    },
  }
}

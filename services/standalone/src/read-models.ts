import {
  assemblyAggregate,
  assemblyMessageOf,
  assetConfigurationWithHistory,
  assetLabelsMessageOf,
  assetLabelsWithHistory,
  assetSettingsMessageOf,
  assetTagWithHistory,
  assetWithHistory,
  associationMessageOf,
  catalogAggregates,
  catalogCollections,
  catalogCopies,
  containerMessageOf,
  tableMessageOf,
  tagAggregate,
  tagMessageOf,
  udfTemplateAggregate,
  udfTemplateMessageOf,
  udfVariablesMessageOf,
  udfVariablesWithHistory,
} from '@assay/catalog/service'
import { type Copies, putsOf } from '@assay/catalog-copies'
import type { InternalMessages } from '@assay/contracts'
import type { DocumentPut } from '@assay/documents'
import type { Aggregate, AnyAggregate, DomainEvent } from '@assay/event-store'
import {
  executedVersionOf,
  executionAggregate,
  executionAggregates,
  executionCollections,
  executionCopies,
} from '@assay/execution/service'
import {
  gatewayAggregates,
  gatewayCollections,
  gatewayKeptCollections,
  keyAggregate,
  keyMessageOf,
} from '@assay/gateway/service'
import {
  notificationAggregates,
  notificationCollections,
  notificationCopies,
  notificationKeptCollections,
  watchAggregate,
  watchDataOf,
} from '@assay/notification/service'
import {
  policyAggregate,
  policyAggregates,
  policyCollections,
  policyCopies,
  policyMessageOf,
} from '@assay/policy/service'
import { samplingAggregates, samplingCollections, samplingCopies } from '@assay/sampling/service'

/** Every read model of this process; a collection shared by all services appears once. */
export const collections = [
  ...new Set([
    ...gatewayCollections,
    ...catalogCollections,
    ...policyCollections,
    ...executionCollections,
    ...samplingCollections,
    ...notificationCollections,
  ]),
]

/** Collections that derive from no event, or from messages delivered once: a rebuild keeps them. */
const keptCollections = new Set([...gatewayKeptCollections, ...notificationKeptCollections])
export const rebuiltCollections = collections.filter(({ name }) => !keptCollections.has(name))

const allCopies: readonly Copies[] = [catalogCopies, policyCopies, executionCopies, samplingCopies, notificationCopies]

/** The aggregate, with the documents that other services derive from its messages. */
function withCopies<S, C, E extends DomainEvent, Name extends keyof InternalMessages>(
  aggregate: Aggregate<S, C, E>,
  name: Name,
  messageOf: (on: { state: S; revision: number }, tenant: string, id: string) => InternalMessages[Name] | undefined,
) {
  return {
    ...aggregate,
    documents(
      state: S,
      key: { tenant: string; id: string },
      source: { revision: number; position: string },
    ): DocumentPut[] {
      const { tenant } = key
      const { revision, position } = source
      const data = messageOf({ state, revision }, tenant, key.id)
      const copies = data === undefined ? [] : putsOf(allCopies, name, { tenant, position, data })
      return [...aggregate.documents(state, key, source), ...copies]
    },
  }
}

const copied: AnyAggregate[] = [
  withCopies(withCopies(assetWithHistory, 'containers', containerMessageOf), 'tables', tableMessageOf),
  withCopies(policyAggregate, 'policies', ({ state, revision }, tenant) =>
    state.status === 'absent' ? undefined : policyMessageOf(state, tenant, revision),
  ),
  withCopies(assemblyAggregate, 'assemblies', assemblyMessageOf),
  withCopies(tagAggregate, 'tags', tagMessageOf),
  withCopies(assetTagWithHistory, 'tags', associationMessageOf),
  withCopies(udfVariablesWithHistory, 'udfVariables', udfVariablesMessageOf),
  withCopies(udfTemplateAggregate, 'udfTemplates', udfTemplateMessageOf),
  withCopies(assetConfigurationWithHistory, 'assetSettings', assetSettingsMessageOf),
  withCopies(assetLabelsWithHistory, 'assetLabels', assetLabelsMessageOf),
  withCopies(watchAggregate, 'watches', ({ state, revision }) => watchDataOf(state, revision)),
  withCopies(keyAggregate, 'keys', (on, _tenant, keyId) => keyMessageOf(on, keyId)),
  withCopies(executionAggregate, 'versions', ({ state }) => executedVersionOf(state)),
]

/** All aggregates, each with only its own documents. */
export const aggregates: AnyAggregate[] = [
  ...gatewayAggregates,
  ...catalogAggregates,
  ...policyAggregates,
  ...executionAggregates,
  ...samplingAggregates,
  ...notificationAggregates,
]

const categories = new Set(copied.map(({ category }) => category))

/**
 * The aggregates of a rebuild. Services fill their local read models from the bus. A rebuild derives them from the same
 * states with the same pure functions, because the embedded bus deletes handled messages.
 */
export const rebuiltAggregates: AnyAggregate[] = [
  ...aggregates.filter(({ category }) => !categories.has(category)),
  ...copied,
]

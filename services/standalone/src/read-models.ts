import {
  assetTagWithHistory,
  assetWithHistory,
  associationMessageOf,
  catalogAggregates,
  catalogCollections,
  containerMessageOf,
  policyUsePut,
  tableMessageOf,
  tagAggregate,
  tagMessageOf,
  udfTemplateAggregate,
  udfTemplateMessageOf,
  udfVariablesMessageOf,
  udfVariablesWithHistory,
  watchCopyPut,
} from '@assay/catalog/service'
import type { DocumentPut } from '@assay/documents'
import type { Aggregate, AnyAggregate, DomainEvent } from '@assay/event-store'
import {
  executedVersionOf,
  executionAggregate,
  executionAggregates,
  executionCollections,
  executionContainerPut,
  executionPolicyPut,
  executionTablePut,
  executionTagPut,
  executionTemplatePut,
  executionVariablesPut,
} from '@assay/execution/service'
import { gatewayAggregates, gatewayCollections, gatewayKeptCollections } from '@assay/gateway/service'
import {
  notificationAggregates,
  notificationAssetPut,
  notificationCollections,
  notificationFolderPut,
  notificationKeptCollections,
  watchAggregate,
  watchDataOf,
} from '@assay/notification/service'
import {
  executedVersionPut,
  policyAggregate,
  policyAggregates,
  policyCollections,
  policyMessageOf,
  policyTablePut,
} from '@assay/policy/service'
import {
  samplingAggregates,
  samplingCollections,
  samplingTablePut,
  samplingTagPut,
  samplingTemplatePut,
} from '@assay/sampling/service'

/** Every read model of this process; what all services keep is one. */
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

/** What is no event, or came by the bus once, a rebuild leaves as it is. */
const keptCollections = new Set([...gatewayKeptCollections, ...notificationKeptCollections])
export const rebuiltCollections = collections.filter(({ name }) => !keptCollections.has(name))

/** The aggregate, and beside its own documents the copies that other services keep of it. */
function withCopies<S, C, E extends DomainEvent>(
  aggregate: Aggregate<S, C, E>,
  copies: (state: S, tenant: string, source: { revision: number; position: string }) => DocumentPut[],
) {
  return {
    ...aggregate,
    documents: (state: S, key: { tenant: string; id: string }, source: { revision: number; position: string }) => [
      ...aggregate.documents(state, key, source),
      ...copies(state, key.tenant, source),
    ],
  }
}

const copied: AnyAggregate[] = [
  withCopies(assetWithHistory, (state, tenant, { revision, position }) => {
    const container = containerMessageOf({ state, revision })
    if (container)
      return [executionContainerPut(tenant, container, position), notificationFolderPut(tenant, container, position)]
    const table = tableMessageOf({ state, revision })
    return table
      ? [
          policyTablePut(tenant, table, position),
          executionTablePut(tenant, table, position),
          samplingTablePut(tenant, table, position),
          notificationAssetPut(tenant, table, position),
        ]
      : []
  }),
  withCopies(policyAggregate, (state, tenant, { revision, position }) => {
    if (state.status === 'absent') return []
    const message = policyMessageOf(state, tenant, revision)
    return [executionPolicyPut(tenant, message, position), policyUsePut(tenant, message, position)]
  }),
  withCopies(tagAggregate, (state, tenant, { revision, position }) => {
    const tag = tagMessageOf({ state, revision })
    return tag ? [samplingTagPut(tenant, tag, position), executionTagPut(tenant, tag, position)] : []
  }),
  withCopies(assetTagWithHistory, (state, tenant, { revision, position }) => {
    const association = associationMessageOf({ state, revision })
    return association
      ? [samplingTagPut(tenant, association, position), executionTagPut(tenant, association, position)]
      : []
  }),
  withCopies(udfVariablesWithHistory, (state, tenant, { revision, position }) => {
    const variables = udfVariablesMessageOf({ state, revision })
    return variables ? [executionVariablesPut(tenant, variables, position)] : []
  }),
  withCopies(udfTemplateAggregate, (state, tenant, { revision, position }) => {
    const template = udfTemplateMessageOf({ state, revision })
    return template
      ? [samplingTemplatePut(tenant, template, position), executionTemplatePut(tenant, template, position)]
      : []
  }),
  withCopies(watchAggregate, (state, tenant, { revision, position }) => {
    const watch = watchDataOf(state, revision)
    return watch ? [watchCopyPut(tenant, watch, position)] : []
  }),
  withCopies(executionAggregate, (state, tenant, { position }) => {
    const executed = executedVersionOf(state)
    return executed ? [executedVersionPut(tenant, executed, position)] : []
  }),
]

/** All aggregates, each with its own documents only. */
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
 * What a rebuild folds. Copies come to a service by the bus; a rebuild makes them of the same states by the same pure
 * functions, because the bus forgets what everybody has handled.
 */
export const rebuiltAggregates: AnyAggregate[] = [
  ...aggregates.filter(({ category }) => !categories.has(category)),
  ...copied,
]

import { sampleData } from '@assay/contracts'
import type { CollectionShape } from '@assay/documents'
import type { AnyAggregate, ReadYourWrites, Reservations } from '@assay/event-store'
import { distributions } from '@assay/reliability'
import type { Route } from '@assay/service-kit'
import { createRequestedFiles, createWorker } from '@assay/work'
import { z } from 'zod'
import { assetConfigurationAggregate, assetConfigurations } from './asset-configuration/aggregate.ts'
import { assetLabels, assetLabelsAggregate } from './asset-labels/aggregate.ts'
import { assetReferenceAggregate, referenceJobs } from './asset-reference/aggregate.ts'
import { assetTagAggregate, assetTags } from './asset-tag/aggregate.ts'
import { udfVariables, udfVariablesAggregate } from './asset-udf-variables/aggregate.ts'
import { createMetadataReader } from './assets/asset-metadata.ts'
import { assetRoutes } from './assets/asset-routes.ts'
import { clientRoutes } from './clients/client-routes.ts'
import { commentAggregate, comments } from './comment/aggregate.ts'
import { configurationRoutes } from './configuring/configuration-routes.ts'
import type { Crawler } from './crawling/crawler.ts'
import type { ObserverTools } from './crawling/observer.ts'
import type { CatalogDependencies } from './dependencies.ts'
import { activityRoutes } from './discussing/activity-routes.ts'
import { commentRoutes } from './discussing/comment-routes.ts'
import { assetHistory } from './history/collection.ts'
import { historyRoutes } from './history/history-routes.ts'
import { withHistory } from './history/recording.ts'
import { inferredTypes, inferredTypesAggregate } from './inferred-types/aggregate.ts'
import { createInference } from './inferring/inference.ts'
import { inferenceRoutes } from './inferring/inference-routes.ts'
import { labelRoutes } from './labelling/label-routes.ts'
import { policyTags, policyTagsAggregate } from './policy-tags/aggregate.ts'
import { policyUses } from './policy-uses/policy-uses.ts'
import { referenceRoutes } from './reference-assets/reference-routes.ts'
import { createReferenceWork } from './reference-assets/reference-work.ts'
import { createPopularity } from './search/popularity.ts'
import { searchRoutes } from './search/search-routes.ts'
import { sqlViewAggregate, sqlViews } from './sql-view/aggregate.ts'
import { sqlViewRoutes } from './sql-views/view-routes.ts'
import { tagAggregate, tags as tagDocuments } from './tag/aggregate.ts'
import { tagKeyAggregate, tagKeys } from './tag-key/aggregate.ts'
import { assetTagRoutes } from './tagging/asset-tag-routes.ts'
import { createMerging } from './tagging/merging.ts'
import { createPolicyTagging } from './tagging/policy-tagging.ts'
import { createProtection } from './tagging/protection.ts'
import { tagAssociationRoutes } from './tagging/tag-association-routes.ts'
import { tagRoutes } from './tagging/tag-routes.ts'
import { tagServiceRoutes } from './tagging/tag-service-routes.ts'
import { createTagging } from './tagging/tagging.ts'
import { createTags } from './tagging/tags.ts'
import { udfTemplateAggregate, udfTemplates } from './udf-template/aggregate.ts'
import { udfTemplateRoutes } from './udf-templates/template-routes.ts'
import { createValidationRunner } from './udf-templates/validation-runner.ts'
import { udfValidationAggregate, udfValidations } from './udf-validation/aggregate.ts'
import { udfVariableRoutes } from './udf-variables/variable-routes.ts'
import { voteAggregate, votes } from './vote/aggregate.ts'

export const annotationCollections: readonly CollectionShape[] = [
  tagDocuments,
  tagKeys,
  assetTags,
  policyTags,
  assetLabels,
  comments,
  votes,
  assetConfigurations,
  inferredTypes,
  assetHistory,
  udfVariables,
  referenceJobs,
  sqlViews,
  udfTemplates,
  udfValidations,
  policyUses,
]

export const annotationAggregates: readonly AnyAggregate[] = [
  tagAggregate,
  tagKeyAggregate,
  policyTagsAggregate,
  voteAggregate,
  inferredTypesAggregate,
  assetReferenceAggregate,
  udfTemplateAggregate,
  udfValidationAggregate,
  withHistory(udfVariablesAggregate),
  withHistory(sqlViewAggregate),
  withHistory(assetTagAggregate),
  withHistory(assetLabelsAggregate),
  withHistory(commentAggregate),
  withHistory(assetConfigurationAggregate),
]

/** Assets with their annotations (tags, labels, comments, votes), configuration and inferred types. */
export function createAnnotations(
  deps: CatalogDependencies &
    ObserverTools & {
      reservations: Reservations
      crawler: Crawler
      readYourWrites: ReadYourWrites
    },
) {
  const tags = createTags(deps)
  const tagging = createTagging({ ...deps, tags })
  const policyTagging = createPolicyTagging({ ...deps, tags })
  const protection = createProtection({ ...deps, tagging })
  const merging = createMerging({ ...deps, tags, tagging, policyTagging })
  const inference = createInference(deps)
  const metadata = createMetadataReader(deps)
  const baselines = createRequestedFiles({ artifacts: deps.artifacts, folder: 'baselines', schema: distributions })
  const worker = createWorker({
    ...deps,
    work: createReferenceWork({ ...deps, baselines }),
    workerId: deps.newId(),
    maxAtOnce: 1,
    isSole: deps.soleInstance,
  })
  const ofValidations = { artifacts: deps.artifacts, folder: 'validations' }
  const files = {
    testData: createRequestedFiles({ ...ofValidations, schema: z.string() }),
    results: createRequestedFiles({ ...ofValidations, schema: sampleData }),
  }
  const runner = createValidationRunner({ ...deps, files })
  const popularity = createPopularity(deps)
  const tools = {
    ...deps,
    tags,
    tagging,
    policyTagging,
    protection,
    merging,
    inference,
    metadata,
    worker,
    runner,
    files,
    popularity,
    version: deps.version ?? '0.0.0',
  }
  const routes: Route[] = [
    // Before the routes by id: `search`, `discover` and `reference-assets` are not ids.
    ...searchRoutes(tools),
    ...referenceRoutes(tools),
    ...assetRoutes(tools),
    ...assetTagRoutes(tools),
    ...tagRoutes(tools),
    ...tagServiceRoutes(tools),
    ...tagAssociationRoutes(tools),
    ...labelRoutes(tools),
    ...commentRoutes(tools),
    ...activityRoutes(tools),
    ...configurationRoutes(tools),
    ...historyRoutes(tools),
    ...inferenceRoutes(tools),
    ...udfVariableRoutes(tools),
    ...udfTemplateRoutes(tools),
    ...sqlViewRoutes(tools),
    ...clientRoutes(tools),
  ]
  return {
    routes,
    /** Resumes what an earlier process did not finish. */
    async resume() {
      worker.start()
      runner.start()
      await merging.resume()
    },
    async stop() {
      await Promise.all([merging.stop(), inference.stop(), worker.stop(), runner.stop()])
    },
  }
}

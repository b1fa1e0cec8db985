import { z } from 'zod'
import { at, by, changes, type EventTypes, id, json } from './shapes.ts'

const column = z.looseObject({
  assetId: id,
  uid: z.string(),
  name: z.string(),
  parentId: id,
  dataType: z.string(),
  nullable: z.boolean(),
})
const columnState = z.looseObject({ id, dataType: z.string(), nullable: z.boolean() })
const facts = {
  rowCount: z.number().nullable(),
  sizeBytes: z.number().nullable(),
  lastChangedAt: at.nullable(),
  fileCount: z.number().nullable(),
}
const counts = {
  found: z.int(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  failed: z.int(),
  errorCount: z.int(),
  skippedCount: z.int(),
}
const ofAsset = (more: z.ZodRawShape) => z.looseObject({ assetId: id, uid: z.string(), at, ...more })
/** `crawlId`: the crawl that wrote the event. Absent in older events, and for other writers. */
const ofCrawledAsset = (more: z.ZodRawShape) => ofAsset({ crawlId: id.optional(), ...more })
const ofAssembly = (more: z.ZodRawShape) => z.looseObject({ assemblyId: id, at, by, changes, ...more })
const ofCrawl = (more: z.ZodRawShape) => z.looseObject({ crawlId: id, at, ...more })
/** Absent in older events. */
const crawled = { assemblyId: id.optional() }
const ofTag = (more: z.ZodRawShape) => z.looseObject({ tagId: id, at, by, ...more })
const ofTemplate = (more: z.ZodRawShape) => z.looseObject({ udfId: id, at, by, ...more })
const ofVariable = (more: z.ZodRawShape) => ofAsset({ by, variableId: id, ...more })
const ofJob = (more: z.ZodRawShape) => ofAsset({ jobId: id, ...more })
const ofComment = (more: z.ZodRawShape) => ofAsset({ by, commentId: id, ...more })
/** Absent in older events. */
const types = { assetTypeId: id.optional(), sourceTypeId: id.optional() }
const placed = ofCrawledAsset({
  parentId: id.nullable(),
  assemblyId: id,
  assemblyName: z.string(),
  assetType: z.string(),
})
const tagged = ofAsset({ by, associationId: id, tableId: id, tagId: id, tagName: z.string() })
const policyTag = z.looseObject({ policyId: id, tagId: id, tagName: z.string(), at, by })
const named = { name: z.string(), description: z.string() }

/** Types of the topic `assay.catalog.assets`. */
export const catalogEventTypes = {
  AssemblyCreated: {
    entity: 'assembly',
    summary: 'An assembly was created.',
    data: ofAssembly({ ...named, sourceType: z.string() }),
  },
  AssemblyUpdated: { entity: 'assembly', summary: 'An assembly was changed.', data: ofAssembly(named) },
  AssemblyDeleted: {
    entity: 'assembly',
    summary: 'An assembly was deleted. AssetVanished follows for its assets.',
    data: ofAssembly({}),
  },
  AssemblyAssetsRemoved: {
    entity: 'assembly',
    summary: 'All assets of a deleted assembly are marked as deleted.',
    /** `assets`: how many tables were. */
    data: ofAssembly({ assets: z.int() }),
  },
  CrawlStarted: { entity: 'crawl', summary: 'A crawl began.', data: ofCrawl({ assemblyId: id, by }) },
  CrawlFinished: {
    entity: 'crawl',
    summary: 'A crawl completed, and all its changes are stored.',
    data: ofCrawl({ ...counts, ...crawled }),
  },
  CrawlFailed: {
    entity: 'crawl',
    summary: 'A crawl could not be executed.',
    data: ofCrawl({ ...counts, ...crawled, reason: z.string() }),
  },
  CrawlAborted: {
    entity: 'crawl',
    summary: 'A crawl was cancelled.',
    data: ofCrawl({ ...counts, ...crawled, reason: z.string() }),
  },
  AssetDiscovered: {
    entity: 'asset',
    summary: 'A crawl found a table, or a folder, database or schema.',
    data: ofCrawledAsset({
      name: z.string(),
      assetType: z.string(),
      parentId: id.nullable(),
      /** Names from the assembly down. Absent in older events. */
      path: z.array(z.string()).optional(),
      assemblyId: id,
      assemblyName: z.string(),
      ...types,
      columns: z.array(column),
      ...Object.fromEntries(Object.entries(facts).map(([name, schema]) => [name, schema.optional()])),
    }),
  },
  AssetSchemaChanged: {
    entity: 'asset',
    summary: 'A crawl found that columns were added, changed or removed.',
    data: ofCrawledAsset({
      added: z.array(column),
      returned: z.array(columnState),
      changed: z.array(columnState.extend({ was: z.looseObject({ dataType: z.string(), nullable: z.boolean() }) })),
      removed: z.array(id),
      /** Names of the columns that were added again, changed or removed. Absent in older events. */
      names: z.array(z.looseObject({ assetId: id, name: z.string() })).optional(),
    }),
  },
  AssetFactsObserved: {
    entity: 'asset',
    summary: 'A crawl found that the size of the data or its time of change differs.',
    data: ofCrawledAsset(facts),
  },
  AssetPlaced: { entity: 'asset', summary: 'An asset moved, or its type changed.', data: placed },
  AssetReturned: { entity: 'asset', summary: 'An asset that had vanished was found again.', data: placed },
  AssetVanished: {
    entity: 'asset',
    summary: 'An asset was marked as deleted.',
    data: ofCrawledAsset({
      reason: z.enum(['not-found-by-crawl', 'assembly-deleted', 'view-deleted']),
      assemblyId: id,
    }),
  },
  AssetTagAdded: { entity: 'asset', summary: 'A tag was added to an asset.', data: tagged },
  AssetTagRemoved: { entity: 'asset', summary: 'A tag was removed from an asset.', data: tagged },
  AssetLabelsReplaced: {
    entity: 'asset',
    summary: 'The labels of an asset were replaced.',
    data: ofAsset({ by, labels: z.array(z.looseObject({ key: z.string(), value: z.string() })), before: json }),
  },
  AssetConfigured: {
    entity: 'asset',
    summary: 'The configuration of an asset was changed.',
    data: ofAsset({ by, before: json, after: json }),
  },
  CustomMetadataSet: {
    entity: 'asset',
    summary: 'Custom metadata of an asset were set or removed.',
    data: ofAsset({ by, before: json, set: z.array(json), removed: z.array(json) }),
  },
  CommentAdded: {
    entity: 'asset',
    summary: 'A comment was written.',
    /** `parentAuthor`: of the comment that it answers; absent in older events. */
    data: ofComment({ parentId: id.nullable(), parentAuthor: z.string().optional(), comment: z.string() }),
  },
  CommentEdited: {
    entity: 'asset',
    summary: 'A comment was changed.',
    data: ofComment({ before: z.string(), comment: z.string() }),
  },
  CommentDeleted: { entity: 'asset', summary: 'A comment was deleted.', data: ofComment({ before: z.string() }) },
  VoteCast: {
    entity: 'asset',
    summary: 'A user voted for or against an asset, or withdrew the vote.',
    data: ofAsset({ user: z.string(), vote: z.enum(['UP', 'DOWN', 'NONE']), before: z.enum(['UP', 'DOWN', 'NONE']) }),
  },
  UdfVariableCreated: {
    entity: 'asset',
    summary: 'A UDF variable was created.',
    data: ofVariable({ key: z.string() }),
  },
  UdfVariableUpdated: {
    entity: 'asset',
    summary: 'A UDF variable was changed.',
    data: ofVariable({ key: z.string(), before: z.looseObject({ key: z.string() }) }),
  },
  UdfVariableDeleted: {
    entity: 'asset',
    summary: 'A UDF variable was deleted.',
    data: ofVariable({ before: z.looseObject({ key: z.string() }) }),
  },
  SqlViewDefined: {
    entity: 'asset',
    summary: 'An SQL view was created or changed.',
    data: ofAsset({ by, assemblyId: id, name: z.string(), query: z.string() }),
  },
  SqlViewDeleted: { entity: 'asset', summary: 'An SQL view was deleted.', data: ofAsset({ by, name: z.string() }) },
  ReferenceJobSubmitted: {
    entity: 'asset',
    summary: 'A validation against a reference was requested.',
    data: ofJob({ by, requestId: z.string(), referenceAssetId: id.nullable() }),
  },
  ReferenceJobSucceeded: {
    entity: 'asset',
    summary: 'A validation against a reference has a result.',
    data: ofJob({ result: json }),
  },
  ReferenceJobFailed: {
    entity: 'asset',
    summary: 'A validation against a reference could not be executed.',
    data: ofJob({ error: z.string() }),
  },
  ReferenceJobCancelled: {
    entity: 'asset',
    summary: 'A validation against a reference was cancelled.',
    data: ofJob({ by }),
  },
  TagCreated: {
    entity: 'tag',
    summary: 'A tag was created.',
    data: ofTag({
      keyId: id.nullable(),
      keyName: z.string().nullable(),
      value: z.string(),
      protectedData: z.boolean(),
    }),
  },
  TagRenamed: {
    entity: 'tag',
    summary: 'A tag was renamed.',
    data: ofTag({ before: z.string(), value: z.string() }),
  },
  TagProtectionSet: {
    entity: 'tag',
    summary: 'A tag protects values, or no longer does.',
    data: ofTag({ before: z.looseObject({ protectedData: z.boolean() }), protectedData: z.boolean() }),
  },
  TagMerged: {
    entity: 'tag',
    summary: 'A tag was merged into another one.',
    data: ofTag({ before: json, intoId: id }),
  },
  TagKeyCreated: {
    entity: 'tag-key',
    summary: 'A tag key was created.',
    data: z.looseObject({ keyId: id, name: z.string(), keyType: z.string(), description: z.string(), at, by }),
  },
  PolicyTagAdded: { entity: 'policy', summary: 'The tag service added a tag to a policy.', data: policyTag },
  PolicyTagRemoved: { entity: 'policy', summary: 'The tag service removed a tag from a policy.', data: policyTag },
  UdfTemplateCreated: {
    entity: 'udf-template',
    summary: 'A UDF template was created.',
    data: ofTemplate({ definition: json }),
  },
  UdfTemplateUpdated: {
    entity: 'udf-template',
    summary: 'A UDF template was changed.',
    data: ofTemplate({ before: json, definition: json }),
  },
  UdfTemplateDeleted: {
    entity: 'udf-template',
    summary: 'A UDF template was deleted.',
    data: ofTemplate({ name: z.string() }),
  },
  UdfValidationRequested: {
    entity: 'udf-template',
    summary: 'A run of a UDF template on test data was requested.',
    data: z.looseObject({ udfId: id, requestId: z.string(), assetId: id.optional() }),
  },
} satisfies EventTypes

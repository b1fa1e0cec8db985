import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime, optional } from '../values/scalars.ts'
import { assetConfigurationAnswer } from './asset-configuration.ts'

/** The same sentence for a missing asset and for one that the key may not configure. */
export const referenceDenied =
  'There is no such asset, or this key may not configure it: that requires the permissions ASSET_VIEW and ASSET_CONFIGURATION_MODIFY.'

const maxRowCount = z.int().min(1).max(1_000_000)
const timeOutMilliseconds = z.int().min(1_000).max(3_600_000)

/**
 * If `referenceAssetId` is absent, the asset keeps its reference. An asset without a reference is compared with its own
 * baseline.
 */
export const referenceConfigurationRequest = z.object({
  validateNow: z.boolean(),
  isReference: optional(z.boolean()),
  referenceAssetId: optional(id),
  maxRowCount: optional(maxRowCount),
  timeOutMilliseconds: optional(timeOutMilliseconds),
})

export const referenceCheckConfiguration = z
  .object({ maxRowCount: z.int(), timeOutMilliseconds: z.int() })
  .meta({ id: 'AssetReferenceCheckConfiguration' })

const columnSchema = z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean() })

/**
 * `status`: SUCCESSFUL, WARNING (new columns, or columns that cannot be compared) or ERRORED. `count`: number of rows
 * checked.
 */
export const referenceVerdict = z
  .object({
    count: z.int(),
    status: z.enum(['SUCCESSFUL', 'WARNING', 'ERRORED']),
    message: z.string().nullable(),
    inferredSchema: z.array(columnSchema).nullable(),
  })
  .meta({ id: 'AssetReferenceValidatorResult' })
export type ReferenceVerdict = z.infer<typeof referenceVerdict>

export const referenceJob = z
  .object({
    id,
    assetId: id,
    assetUid: z.string(),
    assetName: z.string(),
    assetSourceType: z.string().nullable(),
    executionMode: z.enum(['MANUAL', 'AUTOMATED', 'SCHEDULED', 'IMPORTED']),
    executionStatus: z.enum(['SUBMITTED', 'IN_PROGRESS', 'SUCCESSFUL', 'FAILED', 'ABORTED']),
    jobState: z.null(),
    referenceCheckConfiguration,
    jobResult: referenceVerdict.nullable(),
    requestId: z.string().nullable(),
    errorMessage: z.string().nullable(),
    autoReferenceValidationId: z.null(),
    autoReferenceValidationExecutionId: z.null(),
    analysisServiceJob: z.null(),
    startedAt: isoTime.nullable(),
    finishedAt: isoTime.nullable(),
    lastHealthUpdateAt: isoTime.nullable(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'AssetReferenceValidationJob' })
export type ReferenceJob = z.infer<typeof referenceJob>

export const referenceAsset = z
  .object({
    assetId: id,
    assetUid: z.string(),
    assetName: z.string(),
    referenceConfiguration: z.object({
      isReference: z.boolean(),
      referenceAssetId: id.nullable(),
      maxRowCount: z.int(),
      timeOutMilliseconds: z.int(),
    }),
    lastJob: referenceJob.nullable(),
  })
  .meta({ id: 'ReferenceAsset' })
export type ReferenceAsset = z.infer<typeof referenceAsset>

export const referenceAssetList = z.object({ data: z.array(referenceAsset), meta: pageMeta })
export const referenceJobList = z.object({ data: z.array(referenceJob), meta: pageMeta })
export const referenceConfigured = assetConfigurationAnswer

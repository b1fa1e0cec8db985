import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime } from '../values/scalars.ts'

/** Closed: existing clients break on additional keys. */
export const sourceType = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    sourceModel: z.object({ id: z.int(), name: z.string() }).nullable(),
    connectionTypeId: z.int().nullable(),
    miniProfiling: z.boolean(),
    propertyTemplates: z.array(z.unknown()),
  })
  .meta({ id: 'SourceType' })
export type SourceType = z.infer<typeof sourceType>

export const assetType = z
  .object({ id: z.int(), name: z.string(), canMonitor: z.boolean(), canProfile: z.boolean(), canSample: z.boolean() })
  .meta({ id: 'AssetType' })
export type AssetType = z.infer<typeof assetType>
/** An asset type without its capabilities. */
export const shortAssetType = z.object({ id: z.int(), name: z.string() })

export const assembly = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    sourceType,
    status: z.enum(['ACTIVE', 'MARKED_FOR_DELETED']),
    crawler: z.object({ name: z.string() }),
    isVirtual: z.boolean(),
    isSecured: z.boolean(),
    autoProfile: z.boolean(),
    autoAnomaly: z.boolean(),
    tenantId: z.string(),
    timeZone: z.string(),
    schedule: z.string().nullable(),
    createdAt: isoTime,
    updatedAt: isoTime,
    createdBy: z.string().nullable(),
    currentSnapshot: z.string().nullable(),
    integrationId: z.string().nullable(),
    isProtectedResource: z.boolean(),
    analyticsPipelineId: z.null(),
    connectionId: z.null(),
    conn: z.null(),
    securityConfig: z.null(),
    /** Secrets are shown as `***`. */
    configuration: z.record(z.string(), z.unknown()).nullable(),
    /** A second copy of the configuration if `properties=true`; otherwise null. */
    assemblyProperties: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Assembly' })
export type Assembly = z.infer<typeof assembly>

export const asset = z
  .object({
    id,
    uid: z.string(),
    name: z.string(),
    alias: z.string().nullable(),
    description: z.string(),
    parentId: id.nullable(),
    assetType,
    sourceType,
    assembly,
    isActive: z.boolean(),
    isCustom: z.boolean(),
    isDeleted: z.boolean(),
    isSegmented: z.boolean(),
    customAssetType: z.enum(['SQL_VIEW', 'SQL_VIEW_COLUMN', 'VISUAL_VIEW', 'VISUAL_VIEW_COLUMN']).nullable(),
    currentSnapshot: z.string().nullable(),
    snapshots: z.array(z.string()),
    imprint: z.null(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Asset' })
export type Asset = z.infer<typeof asset>

export const bucketedDataType = z.enum(['SEMI_STRUCTURED', 'NUMERIC', 'TEXT', 'BOOLEAN', 'DATE', 'GEOSPATIAL'])

export const childAsset = z
  .object({
    assetId: id,
    uid: z.string(),
    name: z.string(),
    alias: z.string().nullable(),
    parentId: id.nullable(),
    childType: assetType,
    dataType: z.string().nullable(),
    bucketedDataType: bucketedDataType.nullable(),
    isCustom: z.boolean(),
    protected: z.boolean(),
    reliabilityScore: z.number().nullable(),
    updatedAt: isoTime.nullable(),
  })
  .meta({ id: 'ChildAsset' })
export type ChildAsset = z.infer<typeof childAsset>
export const childAssetList = z.object({ childAssets: z.array(childAsset), meta: pageMeta })

export const assetMetadata = z
  .object({
    assetId: id,
    metaDataHash: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    columns: z.array(
      z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean(), comment: z.string().optional() }),
    ),
    items: z.array(z.strictObject({ key: z.string(), value: z.string(), dataType: z.string(), source: z.string() })),
    rowCount: z.int().nullable(),
    sizeBytes: z.int().nullable(),
    lastChangedAt: isoTime.nullable(),
  })
  .meta({ id: 'AssetMetadata' })
export type AssetMetadata = z.infer<typeof assetMetadata>

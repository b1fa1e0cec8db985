import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime } from '../values/scalars.ts'
import { shortAssetType } from './asset.ts'

/** A closed record: existing clients break on a further key. */
export const assetWatcher = z
  .strictObject({ id, assetId: id, userId: z.string(), createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'AssetWatcher' })
export type AssetWatcher = z.infer<typeof assetWatcher>
export const watchAnswer = z.strictObject({ data: assetWatcher })

/** What its watchers see of a watched asset. `assetType`: null where it is not known. */
const watchedAsset = z.object({ id, uid: z.string(), name: z.string(), assetType: shortAssetType.nullable() })
export type WatchedAsset = z.infer<typeof watchedAsset>

/** A watch among all of its owner: what it is of, and what came of it. */
export const assetWatch = z
  .object({
    id,
    assetId: id,
    userId: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    /** Null once the asset is deleted. */
    asset: watchedAsset.nullable(),
    /** How many notifications of it the owner has not read. */
    unread: z.int().nonnegative(),
    /** When its last notification's event happened; null: it has none. */
    lastHappenedAt: isoTime.nullable(),
  })
  .meta({ id: 'AssetWatch' })
export type AssetWatch = z.infer<typeof assetWatch>
export const assetWatchList = z.object({ data: z.array(assetWatch), meta: pageMeta })

/** One sentence for an asset that does not exist and one that the key may not watch, so that it reveals neither. */
export const watchDenied =
  'There is no such asset, or this key may not watch it: that takes the permission ASSET_CONFIGURATION_MODIFY.'

export const notificationKind = z.enum([
  'ASSET_CREATED',
  'ASSET_CHANGED',
  'ASSET_DELETED',
  'SCHEMA_CHANGED',
  'TAGS_CHANGED',
  'LABELS_CHANGED',
  'COMMENT_ADDED',
  'POLICY_CHANGED',
  'EXECUTION_WARNING',
  'EXECUTION_ERRORED',
  'EXECUTION_FAILED',
])
export type NotificationKind = z.infer<typeof notificationKind>

export const notification = z
  .object({
    id,
    kind: notificationKind,
    assetId: id.nullable(),
    policyId: id.nullable(),
    executionId: id.nullable(),
    title: z.string(),
    text: z.string(),
    /** Path of the page to look at, below the address of Assay. */
    link: z.string(),
    /** How many happenings it stands for. */
    count: z.int().positive(),
    createdAt: isoTime,
    readAt: isoTime.nullable(),
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof notification>
export const notificationList = z.object({ data: z.array(notification), meta: pageMeta })

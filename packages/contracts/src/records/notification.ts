import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime } from '../values/scalars.ts'
import { shortAssetType } from './asset.ts'

/** Closed: existing clients break on additional keys. */
export const assetWatcher = z
  .strictObject({ id, assetId: id, userId: z.string(), createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'AssetWatcher' })
export type AssetWatcher = z.infer<typeof assetWatcher>
export const watchAnswer = z.strictObject({ data: assetWatcher })

/** The asset of a watch. `assetType`: null if it is unknown. */
const watchedAsset = z.object({ id, uid: z.string(), name: z.string(), assetType: shortAssetType.nullable() })
export type WatchedAsset = z.infer<typeof watchedAsset>

/** A watch in the list of its owner, with the asset and the counts of its notifications. */
export const assetWatch = z
  .object({
    id,
    assetId: id,
    userId: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    /** Null once the asset is deleted. */
    asset: watchedAsset.nullable(),
    /** Number of the owner's unread notifications about the asset. */
    unread: z.int().nonnegative(),
    /** Time of the event in the latest notification about the asset; `null` means there is none. */
    lastHappenedAt: isoTime.nullable(),
  })
  .meta({ id: 'AssetWatch' })
export type AssetWatch = z.infer<typeof assetWatch>
export const assetWatchList = z.object({ data: z.array(assetWatch), meta: pageMeta })

/** The same sentence for a missing asset and for one that the key may not watch, so it does not reveal which exist. */
export const watchDenied =
  'There is no such asset, or this key may not watch it: that requires the permission ASSET_CONFIGURATION_MODIFY.'

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
    /** Path of the page to open, relative to the address of Assay. */
    link: z.string(),
    /** Number of events that it summarises. */
    count: z.int().positive(),
    createdAt: isoTime,
    readAt: isoTime.nullable(),
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof notification>
export const notificationList = z.object({ data: z.array(notification), meta: pageMeta })

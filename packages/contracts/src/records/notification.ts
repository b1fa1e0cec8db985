import { z } from 'zod'
import { strictly, withFieldRules } from '../fields/field-rules.ts'
import { pageMeta } from '../http/paging.ts'
import { labelList, labelPair } from '../values/labels.ts'
import { id, idListText, isoTime, plainText } from '../values/scalars.ts'
import { shortAssetType } from './asset.ts'
import { isPersonal, kindsInput, notificationKind, notificationSeverity } from './notification-kinds.ts'

/** Closed: existing clients break on additional keys. */
export const assetWatcher = z
  .strictObject({ id, assetId: id, userId: z.string(), createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'AssetWatcher' })
export type AssetWatcher = z.infer<typeof assetWatcher>
export const watchAnswer = z.strictObject({ data: assetWatcher })

/** The asset of a watch. `assetType`: null if it is unknown. */
const watchedAsset = z.object({ id, uid: z.string(), name: z.string(), assetType: shortAssetType.nullable() })
export type WatchedAsset = z.infer<typeof watchedAsset>

/** A list of ids, as JSON or as discover takes them: text with commas. */
const ids = z.union([z.array(id).min(1).max(100), idListText]).optional()
const idsOf = z.array(id).exactOptional()
/** Filters of `GET /assets/discover`, which are asked at each event. At least one. */
export const watchSearchRequest = z
  .strictObject({
    name: plainText(1_000).trim().min(1).optional(),
    assembly_ids: ids,
    asset_type_ids: ids,
    source_type_ids: ids,
    tag_ids: ids,
    parent_ids: ids,
    labels: z.union([z.array(labelPair).min(1).max(100), labelList]).optional(),
    /** The assets that the user watches by their ids. */
    watched: z.union([z.literal(true), z.literal('true').transform(() => true as const)]).optional(),
  })
  .refine((search) => Object.values(search).some((each) => each !== undefined), 'must have a filter')
const watchSearch = z.object({
  name: z.string().exactOptional(),
  assembly_ids: idsOf,
  asset_type_ids: idsOf,
  source_type_ids: idsOf,
  tag_ids: idsOf,
  parent_ids: idsOf,
  labels: z.array(z.string()).exactOptional(),
  watched: z.literal(true).exactOptional(),
})

const watchedThing = {
  assetId: id.nullable(),
  policyId: id.nullable(),
  assemblyId: id.nullable(),
  tagId: id.nullable(),
  search: watchSearch.nullable(),
}
const narrowing = {
  /** Null means all kinds except those of incidents, which a watch must name explicitly. */
  kinds: z.array(notificationKind).nullable(),
  minSeverity: notificationSeverity.nullable(),
}
const watchedKinds = kindsInput.refine(
  (kinds) => !kinds.some(isPersonal),
  'must not name MENTIONED, CHANNEL_PAUSED, DIGEST or TEST: they concern one user, who needs no watch for them',
)
const narrowed = { kinds: watchedKinds.nullish(), minSeverity: narrowing.minSeverity.optional() }
/** Absent fields keep their value. Null removes the restriction. */
export const watchNarrowing = z.object(narrowed)

/** A watch. Exactly one of the four ids and `search` is not null. The watch also covers everything below the watched thing. */
export const watchRecord = z
  .object({ id, ...watchedThing, ...narrowing, userId: z.string(), createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'Watch' })
export type WatchRecord = z.infer<typeof watchRecord>
export const watchRecordAnswer = z.object({ data: watchRecord })

/** A request has exactly one of the ids and `search`. */
export const watchRequest = strictly(
  z
    .object({
      assetId: id.optional(),
      policyId: id.optional(),
      assemblyId: id.optional(),
      tagId: id.optional(),
      search: watchSearchRequest.optional(),
      ...narrowed,
    })
    .refine(
      ({ assetId, policyId, assemblyId, tagId, search }) =>
        [assetId, policyId, assemblyId, tagId, search].filter((each) => each !== undefined).length === 1,
      'must have exactly one of assetId, policyId, assemblyId, tagId, search',
    ),
)

/** A watch in the list of its owner, with what it watches and the counts of its notifications. */
export const assetWatch = z
  .object({
    ...watchRecord.shape,
    /**
     * The name of the watched asset, policy, assembly or tag, or the filters of the search. Null if it was deleted, or if
     * the key may not view it.
     */
    name: z.string().nullable(),
    /** Null if the asset was deleted, or if the watched thing is not an asset. */
    asset: watchedAsset.nullable(),
    /** Number of the owner's unread notifications about the asset. */
    unread: z.int().nonnegative(),
    /** Time of the event in the latest notification about the asset; `null` means there is none. */
    lastHappenedAt: isoTime.nullable(),
  })
  .meta({ id: 'AssetWatch' })
export type AssetWatch = z.infer<typeof assetWatch>
/** A change of a watch. Fields of a watch that was read are accepted. */
export const watchChange = withFieldRules(watchNarrowing, { strict: true, also: Object.keys(assetWatch.shape) })
export const assetWatchList = z.object({ data: z.array(assetWatch), meta: pageMeta })

/** The same sentence for a missing asset and for one that the key may not watch, so it does not reveal which exist. */
export const watchDenied =
  'There is no such asset, or this key may not watch it: that requires the permission ASSET_CONFIGURATION_MODIFY.'

export const notification = z
  .object({
    id,
    kind: notificationKind,
    severity: notificationSeverity,
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
    /** Why it is not in the default list. Absent in that list. */
    heldBy: z.enum(['MUTE', 'QUIET_HOURS']).optional(),
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof notification>
export const notificationList = z.object({ data: z.array(notification), meta: pageMeta })

import type { NotificationSeverity } from '@assay/contracts'
import type { Mentions } from '../mentions/mentioned-users.ts'
import type { Cause } from '../notification/aggregate.ts'
import type { NotificationContent } from '../notification/notification.ts'

/** The incident that a content is about. */
export interface Incident {
  /** Absent in a dry run. */
  id?: number
  /** The severity of its worst verdict, also when it ends. */
  severity: NotificationSeverity
  /** Somebody closed it. Only alerting channels get this. */
  isClosed?: boolean
}

/** A new asset. Its event can arrive before the message that adds it to the local read model. */
export interface CreatedAsset {
  assetId: number
  uid: string
  name: string
  /** Names from the assembly down. */
  path?: string[] | undefined
  assetTypeId?: number | undefined
  sourceTypeId?: number | undefined
}

export interface ChangedTag {
  tagId: number
  name: string
}

/** A notification for the watchers of its subject. */
export interface WatchedContent extends Omit<NotificationContent, 'severity'> {
  /** Default: that of the kind. */
  severity?: NotificationSeverity
  /** The watched asset, if it is not `assetId`: the folder of a new asset, or null for none. */
  watchedId?: number | null
  /** Whether only watches of the asset itself count, not those of its ancestors. */
  isOwn?: boolean
  /** The assembly, if the notification is about no asset. */
  assemblyId?: number
  incident?: Incident
  created?: CreatedAsset
  /** The tag that was added or removed. It counts as a tag of the asset, whatever the local read model has. */
  tag?: ChangedTag
}

/** A notification for the users whom a comment mentions or answers. It replaces the one for watchers. */
export interface MentionContent extends Mentions {
  mention: Omit<NotificationContent, 'severity'>
  answer: Omit<NotificationContent, 'severity'>
}

/** The notifications of one event: one for each asset that it concerns. */
export interface NotificationTrigger {
  eventId: string
  contents: WatchedContent[]
  mentions?: MentionContent | undefined
  /** The crawl or the deletion that wrote the event: its notifications are parts of one row. */
  cause?: Cause | undefined
  /** What ended with the event. `assemblyId`: its assembly; absent in older events. */
  ended?: (Cause & { assemblyId: number | undefined }) | undefined
}

import type { NotificationSeverity } from '@assay/contracts'
import type { Mentions } from '../mentions/mentioned-users.ts'
import type { NotificationContent } from '../notification/notification.ts'

/** A notification for the watchers of what it is about. */
export interface WatchedContent extends Omit<NotificationContent, 'severity'> {
  /** Default: that of the kind. */
  severity?: NotificationSeverity
  /** The watched asset, if it is not `assetId`: the folder of a new asset, or null for none. */
  watchedId?: number | null
  /** Only watches of the asset itself, not those of what it lies below. */
  isOwn?: boolean
  /** The assembly, for what is about no asset. */
  assemblyId?: number
}

/** A notification for those whom a comment mentions or answers, instead of one for watchers. */
export interface MentionContent extends Mentions {
  mention: Omit<NotificationContent, 'severity'>
  answer: Omit<NotificationContent, 'severity'>
}

/** The notifications of one event: one for each asset that it concerns. */
export interface NotificationTrigger {
  eventId: string
  contents: WatchedContent[]
  mentions?: MentionContent | undefined
  /** The crawl that wrote the event: its notifications are parts of one row. */
  crawlId?: number | undefined
  /** The crawl that ended with the event. */
  endedCrawlId?: number | undefined
}

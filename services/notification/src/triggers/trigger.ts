import type { NotificationContent } from '../notification/notification.ts'

/** A notification for the watchers of one asset. */
export interface WatchedContent extends NotificationContent {
  /** The watched asset, if it is not `assetId`: the folder of a new asset. */
  watchedId?: number
}

/** The notifications of one event: one for each asset that it concerns. */
export interface NotificationTrigger {
  eventId: string
  contents: WatchedContent[]
}

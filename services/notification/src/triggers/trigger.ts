import type { NotificationContent } from '../notification/notification.ts'

/** What the watchers of one asset are told. */
export interface WatchedContent extends NotificationContent {
  /** Whose watchers, where it is not the asset that it is about: the folder of one that is new. */
  watchedId?: number
}

/** What watchers are told, and whose watchers: one of them for each asset that it is about. */
export interface NotificationTrigger {
  eventId: string
  contents: WatchedContent[]
}

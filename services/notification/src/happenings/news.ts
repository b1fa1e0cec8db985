import type { Told } from '../notification/notification.ts'

/** What the watchers of one asset are told. */
export interface News extends Told {
  /** Whose watchers, where it is not the asset that it is about: the folder of one that is new. */
  watchedId?: number
}

/** What watchers are told, and whose watchers: one of them for each asset that it is about. */
export interface Happening {
  eventId: string
  told: News[]
}

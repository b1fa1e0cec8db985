import type { Notification } from '@assay/contracts'
import { type Inbox, readWithAll } from '../inbox/inbox.ts'
import type { StoredNotification } from '../notification/notification.ts'

/** A row as its recipient reads it. `readTimes`: when all were marked as read. Pure. */
export function recordOf(stored: StoredNotification, readTimes: Inbox['readTimes']): Notification {
  const { notificationId: id, kind, severity, assetId, policyId, executionId, title, text, link, count } = stored
  const { createdAt, heldBy } = stored
  const readAt = stored.readAt ?? readWithAll(readTimes, stored.freshAt)
  const row = { id, kind, severity, assetId, policyId, executionId, title, text, link, count, createdAt, readAt }
  return heldBy === null ? row : { ...row, heldBy }
}

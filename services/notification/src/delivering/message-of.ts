import type { ChannelMessage } from '@assay/contracts'
import type { NotificationContent, StoredNotification } from '../notification/notification.ts'

/** The message about a row of the list. Its link is absolute if the public address is known. Pure. */
export function messageOf(
  row: NotificationContent & Pick<StoredNotification, 'createdAt' | 'count'> & { notificationId: number | null },
  publicUrl: string | undefined,
): ChannelMessage {
  const { notificationId: id, kind, severity, assetId, policyId, executionId, title, text, at, createdAt } = row
  const { count } = row
  const link = `${publicUrl ?? ''}${row.link}`
  const about = { id, kind, severity, assetId, policyId, executionId }
  return {
    type: kind,
    timestamp: at,
    data: { ...about, title, text, link, count, createdAt, readAt: null },
  }
}

import { type NotificationSeverity, notificationSeverity, severityRank } from '@assay/contracts'
import { aboutAll } from '../notification/about.ts'
import type { GroupContent, StoredNotification } from '../notification/notification.ts'
import { filteredOf } from '../notification/of-parts.ts'

/** The fields of a row that a digest uses. */
export type Digested = Pick<
  StoredNotification,
  'title' | 'kind' | 'severity' | 'about' | 'at' | 'notificationId' | 'count' | 'ofParts'
>

/** Ends the titles of digests after quiet hours. */
export const duringQuietHours = 'during your quiet hours'

/** Maximum number of rows that a text names. */
const maxNamed = 10

function gravestOf(rows: readonly Digested[]): NotificationSeverity {
  const rank = Math.max(0, ...rows.map(({ severity }) => severityRank(severity)))
  return notificationSeverity.options[rank] ?? 'INFO'
}

/**
 * One notification that summarises several rows: those of quiet hours, or those that a channel sends together. `during`
 * ends the title. Reading it requires the permissions for all rows. `undefined` without rows. Pure.
 */
export function digestOf(
  rows: readonly Digested[],
  { during, link, at }: { during: string; link: string; at: string },
): GroupContent | undefined {
  if (rows.length === 0) return undefined
  const gravest = rows.toSorted(
    (a, b) => severityRank(b.severity) - severityRank(a.severity) || a.notificationId - b.notificationId,
  )
  const counts = new Map<string, number>()
  for (const { title, count } of gravest) counts.set(title, (counts.get(title) ?? 0) + count)
  const named = [...counts]
    .slice(0, maxNamed)
    .map(([title, count]) => (count > 1 ? `${title} (${count} times).` : `${title}.`))
  const more = counts.size > maxNamed ? [`And ${counts.size - maxNamed} more.`] : []
  return {
    kind: 'DIGEST',
    severity: gravestOf(rows),
    about: aboutAll(rows),
    assetId: null,
    policyId: null,
    executionId: null,
    title: `${rows.length} ${rows.length === 1 ? 'notification' : 'notifications'} ${during}`,
    text: [...named, ...more].join(' '),
    link,
    at,
    ofParts: filteredOf(rows),
  }
}

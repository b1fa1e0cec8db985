import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { alarms, groupOfRow, notificationAggregate, notifications, samenessOf } from '../notification/aggregate.ts'
import type { NotificationContent, StoredNotification } from '../notification/notification.ts'

const latestFirst = (['at', 'notificationId'] as const).map((field) => ({ field, direction: 'desc' as const }))

/** Finds the rows that notifications repeat, and counts their repeats. */
export interface Repeats {
  /** The row that the content repeats, by recipient: it has the same content and is not older than the window. */
  rowsFor(
    tenant: string,
    recipients: readonly string[],
    content: NotificationContent,
    now: number,
  ): Promise<ReadonlyMap<string, StoredNotification>>
  /** Counts the repeats of a row. Repeats are stored before they are counted, so the last count is complete. */
  count(tenant: string, rowKey: string): Promise<void>
  /** Whether the recipient's latest notification about runs of the policy until `at` is an alarm that was not muted. */
  isAlarmed(tenant: string, recipient: string, of: Pick<NotificationContent, 'policyId' | 'at'>): Promise<boolean>
}

/** For `windowMs` milliseconds after a row, the same content repeats the row. With 0, nothing is a repeat. */
export function createRepeats(deps: {
  documents: Documents
  commands: CommandHandler
  clock: Clock
  windowMs: number
}): Repeats {
  const { documents, commands, clock, windowMs } = deps

  async function latestOfRuns(
    tenant: string,
    recipient: string,
    { policyId, at }: Pick<NotificationContent, 'policyId' | 'at'>,
  ): Promise<StoredNotification | undefined> {
    const where = [
      { field: 'recipient', is: recipient },
      { field: 'policyId', is: policyId },
      { field: 'runOutcome', in: ['alarm', 'recovered'] },
      { field: 'at', to: at },
    ]
    return (await documents.find(notifications, tenant, { where, sort: latestFirst, size: 1 })).documents[0]
  }

  return {
    async rowsFor(tenant, recipients, content, now) {
      const rows = new Map<string, StoredNotification>()
      // There is only one recovery after each alarm.
      if (windowMs === 0 || content.kind === 'EXECUTION_RECOVERED') return rows
      const where = [
        { field: 'sameness', in: recipients.map((recipient) => samenessOf({ ...content, recipient })) },
        { field: 'createdAt', from: isoTime(now - windowMs + 1) },
      ]
      // The order of an index, so that no other has to be found for a single recipient.
      const sort = [{ field: 'createdAt', direction: 'asc' as const }]
      const found = await documents.find(notifications, tenant, { where, sort, size: 1_000 })
      for (const row of found.documents) {
        const known = rows.get(row.recipient)
        if (known === undefined || known.createdAt < row.createdAt) rows.set(row.recipient, row)
      }
      if (!alarms.has(content.kind)) return rows
      for (const [recipient, row] of rows) {
        const latest = await latestOfRuns(tenant, recipient, content)
        // A recovery ends the window.
        if (latest?.kind === 'EXECUTION_RECOVERED' && latest.at >= row.at) rows.delete(recipient)
      }
      return rows
    },
    async count(tenant, rowKey) {
      const where = [{ field: 'partOf', is: groupOfRow(rowKey) }]
      const { count: parts } = await documents.find(notifications, tenant, { where, size: 0 })
      const command = { type: 'CountRepeats' as const, count: parts + 1, parts, at: isoTime(clock.now()) }
      const context = { actor: 'system' }
      await commands.handle(notificationAggregate, { tenant, id: rowKey, command, context })
    },
    async isAlarmed(tenant, recipient, of) {
      const latest = await latestOfRuns(tenant, recipient, of)
      return latest !== undefined && latest.kind !== 'EXECUTION_RECOVERED'
    },
  }
}

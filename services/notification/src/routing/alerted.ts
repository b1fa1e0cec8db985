import type { Documents } from '@assay/documents'
import { channels } from '../channel/aggregate.ts'
import { alertedIncident, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { isAlerting } from './alerting.ts'
import { recipientChannel } from './channel-recipient.ts'

const rowsAtOnce = 500

/** The ids of the channels that got an incident: those of its rows that no mute held. */
export async function alertedChannels(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  incidentId: number,
): Promise<number[]> {
  const where = [{ field: 'alertedIncident', is: incidentId }]
  const ids = new Set<number>()
  for (let page = 0; ; page += 1) {
    const { documents: rows } = await documents.find(notifications, tenant, { where, page, size: rowsAtOnce })
    for (const { recipient } of rows) {
      const id = recipientChannel(recipient)
      if (id !== undefined) ids.add(id)
    }
    if (rows.length < rowsAtOnce) return [...ids]
  }
}

/**
 * Whether a row is still needed to resolve an alert of a channel: the incident has not ended, or the row is its end and
 * says so for the alerts that remain.
 */
export async function isAlertNeeded(
  documents: Pick<Documents, 'find' | 'get'>,
  tenant: string,
  row: StoredNotification,
): Promise<boolean> {
  const { recipient, kind } = row
  const incident = alertedIncident(row)
  const id = recipientChannel(recipient)
  if (incident === null || id === undefined) return false
  const channel = (await documents.get(channels, tenant, id))?.document
  if (channel === undefined || !isAlerting(channel.type)) return false
  const ofChannel = [
    { field: 'alertedIncident', is: incident },
    { field: 'recipient', is: recipient },
  ]
  const end = 'INCIDENT_RECOVERED'
  const others = kind === end ? { field: 'kind', not: end } : { field: 'kind', is: end }
  const { count } = await documents.find(notifications, tenant, { where: [...ofChannel, others], size: 0 })
  return kind === end ? count > 0 : count === 0
}

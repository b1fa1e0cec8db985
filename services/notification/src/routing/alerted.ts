import type { Documents } from '@assay/documents'
import { notifications } from '../notification/aggregate.ts'
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

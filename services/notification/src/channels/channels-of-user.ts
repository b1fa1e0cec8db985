import type { Documents } from '@assay/documents'
import { channels, maxChannels } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { isAlerting } from '../routing/alerting.ts'

/** Whether a channel of a user gets what enters the user's list. Alerting ones get incidents apart from it. Pure. */
export const takesLists = ({ type }: Pick<Channel, 'type'>): boolean => !isAlerting(type)

/** The channels that get what enters a user's list. */
export async function channelsOfUser(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  user: string,
): Promise<Channel[]> {
  const where = [{ field: 'audience', is: user }]
  const own = await documents.find(channels, tenant, { where, size: maxChannels })
  return own.documents.filter(takesLists)
}

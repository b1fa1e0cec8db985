import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { duePut, openWorkPut } from '@assay/work'
import { isAlerting } from '../routing/alerting.ts'
import { type Channel, type ChannelEvent, type ChannelState, channel, evolve, noChannel } from './channel.ts'
import { type ChannelCommand, decide } from './decide.ts'

/** Maximum number of channels of a user, and of shared ones of a tenant. */
export const maxChannels = 500

/** The audience of shared channels. No user has this name. */
export const everyone = ' '

/** Who a channel belongs to: a user, or `everyone`. */
export const audienceOf = ({ owner, shared }: Pick<Channel, 'owner' | 'shared'>): string => (shared ? everyone : owner)

/** One document per channel, by its id. */
export const channels = defineCollection<Channel>({
  name: 'notification_channels',
  version: 4,
  idType: 'integer',
  schema: channel,
  fields: {
    audience: { type: 'text', of: audienceOf, required: true },
    /** Of channels that send all incidents that their owner may read. */
    alerts: { type: 'boolean', of: ({ type, shared }) => (isAlerting(type) && !shared ? true : null) },
    owner: { type: 'text', of: ({ owner }) => owner },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true },
  },
  listings: [['audience', 'createdAt']],
})

/** The kind of outboxes among open work and in the due book. */
export const outboxWork = 'outbox'

/** The kind of digests in the due book. */
export const channelDigestDue = 'channel-digest'

/** Streams `<tenant>/channel-<id>`. */
export const channelAggregate: Aggregate<ChannelState, ChannelCommand, ChannelEvent> = {
  category: 'channel',
  decider: { initialState: noChannel, decide, evolve },
  schemaVersion: 2,
  documents(state, { tenant, id: text }, source) {
    const id = Number(text)
    if (state.status !== 'present')
      return [
        documentPut(channels, tenant, id, null, source),
        openWorkPut({ kind: outboxWork, tenant, id, since: '1970-01-01T00:00:00.000Z' }, null, source),
        duePut({ kind: outboxWork, tenant, id }, null, source),
        duePut({ kind: channelDigestDue, tenant, id }, null, source),
      ]
    const { status: _, ...shown } = state
    return [
      documentPut(channels, tenant, id, shown, source),
      openWorkPut({ kind: outboxWork, tenant, id, since: state.wokenAt }, state.work, source),
      duePut({ kind: outboxWork, tenant, id }, state.nextAt, source),
      duePut({ kind: channelDigestDue, tenant, id }, state.digestAt, source),
    ]
  },
}

import { isDeepStrictEqual } from 'node:util'
import { publicMessage, publicTopics } from '@assay/contracts'
import { type NewEvent, parseStreamName, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { channelAggregate } from '../channel/aggregate.ts'
import type { Channel, ChannelEvent, ChannelState } from '../channel/channel.ts'
import { deliveryAggregate } from '../delivery/aggregate.ts'

/** The public events of a channel. All others concern the work on its outbox. */
const publicEvents: ReadonlySet<string> = new Set<ChannelEvent['type']>([
  'ChannelCreated',
  'ChannelChanged',
  'ChannelSecretRotated',
  'ChannelDeleted',
  'ChannelPaused',
  'ChannelUnsubscribed',
  'ChannelResumed',
  'ChannelDigestRequested',
])

/** Whether an event of the service is published, so that the audit has a line for it. Pure. */
export function isPublished({ type, metadata }: Pick<NewEvent, 'type' | 'metadata'>, stream: string): boolean {
  switch (parseStreamName(stream)?.category) {
    case channelAggregate.category:
      return publicEvents.has(type)
    case deliveryAggregate.category:
      return type === 'DeliveryReplayed' && metadata.actor !== 'system'
    default:
      return true
  }
}

function publicChannel(channel: Channel) {
  const {
    channelId,
    owner: userId,
    name,
    type,
    enabled,
    shared,
    kinds,
    minSeverity,
    digest,
    state,
    updatedAt,
  } = channel
  return { channelId, userId, name, type, enabled, shared, kinds, minSeverity, digest, state, updatedAt }
}

/** The names of the fields of the configuration that a change set, without their values, which may be secrets. */
function changedConfiguration({ before, after }: { before: ChannelState; after: ChannelState }): string[] {
  if (before.status !== 'present' || after.status !== 'present') return []
  const names = new Set([before, after].flatMap(({ configuration }) => Object.keys(configuration)))
  const changed = [...names].filter((name) => !isDeepStrictEqual(before.configuration[name], after.configuration[name]))
  return isDeepStrictEqual(before.secrets, after.secrets) ? changed : [...changed, 'secret']
}

/** The public message of an event of a channel, without the values of its configuration. Pure. */
export function channelMessage(
  event: RecordedEvent,
  { before, after }: { before: ChannelState; after: ChannelState },
): { topic: string; message: Message } | undefined {
  const shown = after.status === 'present' ? after : before
  if (shown.status !== 'present') return undefined
  const earlier = before.status === 'present' ? { before: publicChannel(before) } : {}
  const changed =
    event.type === 'ChannelChanged' ? { changedConfiguration: changedConfiguration({ before, after }) } : {}
  return framed(event, shown.channelId, { ...earlier, ...publicChannel(shown), ...changed })
}

/** The public message about a replay of a delivery. `userId`: the owner of the channel. Pure. */
export function replayMessage(event: RecordedEvent, of: { channelId: number; userId: string; deliveryId: string }) {
  return framed(event, of.channelId, of)
}

function framed(event: RecordedEvent, channelId: number, data: object) {
  const of = { key: `channel-${channelId}`, subject: `channel/${channelId}`, data }
  return { topic: publicTopics.notifications, message: publicMessage('notification', event, of) }
}

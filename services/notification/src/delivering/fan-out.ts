import { type ChannelMessage, severityOfKind } from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import {
  createProcessor,
  eventOf,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { audienceOf, channelAggregate, channels } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { takesLists } from '../channels/channels-of-user.ts'
import { deliveryAggregate } from '../delivery/aggregate.ts'
import { notificationAggregate, notifications, placeOf } from '../notification/aggregate.ts'
import { evolve, noNotification, type StoredNotification } from '../notification/notification.ts'
import { filteredOf } from '../notification/of-parts.ts'
import type { Notify } from '../notifying/notify.ts'
import { isAlerting } from '../routing/alerting.ts'
import { channelRecipient, recipientChannel } from '../routing/channel-recipient.ts'
import { linkOfChannel } from '../triggers/links.ts'
import { messageOf } from './message-of.ts'
import { accepts, type DeliveryRequest, type Outbox } from './outbox.ts'
import { withScores } from './with-scores.ts'

const channelsAtOnce = 500

/**
 * Follows the log. Requests deliveries of each row of a user's list to the user's channels, sends deliveries that a user
 * replayed, and notifies the owner of a channel that was paused. Handles each event at least once; the ids of deliveries and notifications make it idempotent.
 */
export function createFanOut(
  deps: ProcessorDeps & {
    documents: Documents
    notify: Notify
    outbox: Outbox
    publicUrl: string | undefined
  },
): Processor {
  const { documents, notify, outbox, publicUrl, makeProcessor = createProcessor, ...rest } = deps

  async function channelsThat(tenant: string, condition: Condition): Promise<Channel[]> {
    const all: Channel[] = []
    for (let page = 0; ; page += 1) {
      const { documents: some } = await documents.find(channels, tenant, {
        where: [condition],
        page,
        size: channelsAtOnce,
      })
      all.push(...some)
      if (some.length < channelsAtOnce) return all
    }
  }

  /** The channels of the recipients of a batch of events, by recipient. Most users have none; a channel has itself. */
  async function channelsOf(tenant: string, recipients: readonly string[]): Promise<ReadonlyMap<string, Channel[]>> {
    const ids = recipients.flatMap((recipient) => recipientChannel(recipient) ?? [])
    const users = recipients.filter((recipient) => recipientChannel(recipient) === undefined)
    const [own, themselves] = await Promise.all([
      users.length === 0 ? [] : channelsThat(tenant, { field: 'audience', in: users }),
      ids.length === 0 ? [] : channelsThat(tenant, { field: 'id', in: ids }),
    ])
    const ofUsers = own.filter(takesLists).map((channel) => ({ recipient: audienceOf(channel), channel }))
    const ofThemselves = themselves.map((channel) => ({ recipient: channelRecipient(channel.channelId), channel }))
    const grouped = Map.groupBy([...ofUsers, ...ofThemselves], ({ recipient }) => recipient)
    return new Map([...grouped].map(([recipient, found]) => [recipient, found.map(({ channel }) => channel)]))
  }

  /** The rows that events add, and those of groups that get more parts: these may be the first that a channel takes. */
  async function changedRows(tenant: string, events: readonly RecordedEvent[]): Promise<StoredNotification[]> {
    const added: StoredNotification[] = []
    const counted = new Set<string>()
    for (const event of events) {
      const key = parseStreamName(event.stream)?.id ?? ''
      const of = eventOf(notificationAggregate, event)
      const state = evolve(noNotification, of)
      if (state.status === 'present') added.push({ ...state, key })
      // Repeats of a row are only counted.
      else if (of.type === 'NotificationCounted' && of.data.content.ofParts !== undefined) counted.add(key)
    }
    const where = [{ field: 'id', in: [...counted] }]
    const again =
      counted.size === 0 ? [] : (await documents.find(notifications, tenant, { where, size: counted.size })).documents
    // Parts and held notifications are not sent.
    return [...added, ...again].filter((row) => placeOf(row) === 'list')
  }

  /** The deliveries of a row. Pure. */
  function requestsOf(tenant: string, row: StoredNotification, own: readonly Channel[]): DeliveryRequest[] {
    const { recipient, notificationId, createdAt, key } = row
    const isOfChannel = recipientChannel(recipient) !== undefined
    const message: ChannelMessage = messageOf(isOfChannel ? { ...row, notificationId: null } : row, publicUrl)
    const { severity } = message.data
    // Rows of channels were filtered when they were routed. The end of an alert waits for a disabled channel.
    const isEnd = ({ type }: Channel) => isAlerting(type) && message.type === 'INCIDENT_RECOVERED'
    const takes = (channel: Channel) =>
      isOfChannel
        ? channel.enabled || isEnd(channel)
        : [row, ...filteredOf([row])].some((each) => accepts(channel, each))
    const incident = row.incidentId === undefined ? undefined : `assay-${tenant}-${row.incidentId}`
    return own
      .filter((channel) => channel.createdAt <= createdAt && takes(channel))
      .map((channel) => ({
        ...{ channel, eventId: key, about: '', recipient, sequence: notificationId, severity, message, incident },
        notificationId: isOfChannel ? null : notificationId,
        isCollected: channel.digest !== 'NONE',
        needs: row.about,
      }))
  }

  async function notifyOwner(event: RecordedEvent): Promise<void> {
    const of = eventOf(channelAggregate, event)
    if (of.type !== 'ChannelPaused' && of.type !== 'ChannelUnsubscribed') return
    const { tenant } = event.metadata
    const found = await documents.get(channels, tenant, Number(parseStreamName(event.stream)?.id))
    if (found === undefined) return
    const { name, owner: recipient, channelId } = found.document
    const isGone = of.type === 'ChannelUnsubscribed'
    const content = {
      kind: 'CHANNEL_PAUSED' as const,
      severity: severityOfKind('CHANNEL_PAUSED'),
      assetId: null,
      policyId: null,
      executionId: null,
      title: `Channel '${name}' ${isGone ? 'was unsubscribed by its receiver' : 'was paused'}`,
      text: `${of.data.reason} ${isGone ? '' : 'Too many attempts in a row failed. '}Due messages are parked. Enable the channel to send them.`,
      link: linkOfChannel(channelId),
      at: of.data.at,
    }
    await notify(tenant, [{ recipient, watchedId: null, watch: null }], { eventId: event.id, content, assetIds: [] })
  }

  /** The workers of a channel know of the deliveries that they replay themselves. */
  async function sendReplayed({ type, metadata, stream }: RecordedEvent): Promise<void> {
    if (type !== 'DeliveryReplayed' || metadata.actor === 'system') return
    await outbox.wakeFor(metadata.tenant, parseStreamName(stream)?.id ?? '')
  }

  return makeProcessor({
    ...rest,
    name: 'notification-deliveries',
    categories: [notificationAggregate.category, channelAggregate.category, deliveryAggregate.category],
    async handle(events) {
      for (const [tenant, ofTenant] of Map.groupBy(events, ({ metadata }) => metadata.tenant)) {
        const {
          [notificationAggregate.category]: ofRows = [],
          [channelAggregate.category]: ofChannels = [],
          [deliveryAggregate.category]: ofDeliveries = [],
        } = Object.groupBy(ofTenant, ({ stream }) => parseStreamName(stream)?.category ?? '')
        const rows = await changedRows(tenant, ofRows)
        const owned = await channelsOf(tenant, [...new Set(rows.map(({ recipient }) => recipient))])
        const requests = rows.flatMap((row) => requestsOf(tenant, row, owned.get(row.recipient) ?? []))
        await outbox.request(tenant, await withScores(documents, tenant, requests))
        for (const event of ofChannels) await notifyOwner(event)
        for (const event of ofDeliveries) await sendReplayed(event)
      }
    },
  })
}

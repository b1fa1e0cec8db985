import { type ChannelMessage, severityOfKind } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import {
  type CommandHandler,
  createProcessor,
  eventOf,
  type NumberBlocks,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type Clock, isoTime, uuidV5 } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { audienceOf, channelAggregate, channels } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { notificationAggregate, placeOf } from '../notification/aggregate.ts'
import { evolve, type NotificationState, noNotification } from '../notification/notification.ts'
import { linkOfChannel } from '../triggers/links.ts'
import { messageOf } from './message-of.ts'
import { accepts, type DeliveryRequest, type Outbox } from './outbox.ts'

const channelsAtOnce = 500

type AddedRow = Extract<NotificationState, { status: 'present' }> & { key: string }

/**
 * Follows the log. Requests deliveries of each new row of a user's list to the user's channels, and notifies the owner of
 * a channel that was paused. Handles each event at least once; the ids of deliveries and notifications make it idempotent.
 */
export function createFanOut(
  deps: ProcessorDeps & {
    documents: Documents
    commands: CommandHandler
    numbers: NumberBlocks
    outbox: Outbox
    clock: Clock
    publicUrl: string | undefined
  },
): Processor {
  const { documents, commands, numbers, outbox, clock, publicUrl, makeProcessor = createProcessor, ...rest } = deps

  /** The channels of the recipients of a batch of events, by recipient. Most recipients have none. */
  async function channelsOf(tenant: string, owners: readonly string[]): Promise<ReadonlyMap<string, Channel[]>> {
    const where = [{ field: 'audience', in: owners }]
    const found: Channel[] = []
    for (let page = 0; owners.length > 0; page += 1) {
      const { documents: some } = await documents.find(channels, tenant, { where, page, size: channelsAtOnce })
      found.push(...some)
      if (some.length < channelsAtOnce) break
    }
    return Map.groupBy(found, audienceOf)
  }

  /** The row that an event adds to the list; `undefined` if the event only changes a row, or adds no row to the list. */
  function addedRow(event: RecordedEvent): AddedRow | undefined {
    const state: NotificationState = evolve(noNotification, eventOf(notificationAggregate, event))
    // Parts and held notifications are not sent. Neither are repeats: their events only count them.
    if (state.status !== 'present' || placeOf(state) !== 'list') return undefined
    return { ...state, key: parseStreamName(event.stream)?.id ?? '' }
  }

  /** The deliveries of a new row of the list. Pure. */
  function requestsOf(row: AddedRow, own: readonly Channel[]): DeliveryRequest[] {
    const { recipient, notificationId, createdAt, key } = row
    const message: ChannelMessage = messageOf(row, publicUrl)
    const { severity } = message.data
    return own
      .filter((channel) => channel.createdAt <= createdAt && accepts(channel, { kind: message.type, severity }))
      .map((channel) => ({
        channel,
        eventId: key,
        about: '',
        recipient,
        notificationId,
        severity,
        message,
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
    const [notificationId] = await numbers.take(tenant, 'notification')
    if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
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
    const createdAt = isoTime(clock.now())
    const ids = { notificationId, recipient, eventId: event.id, createdAt, watchedId: null }
    const command = { type: 'CreateNotification' as const, ...ids, ...content }
    const context = { actor: 'system', causationId: event.id }
    await commands.handle(notificationAggregate, { tenant, id: uuidV5(event.id, recipient), command, context })
  }

  return makeProcessor({
    ...rest,
    clock,
    name: 'notification-deliveries',
    categories: [notificationAggregate.category, channelAggregate.category],
    async handle(events) {
      for (const [tenant, ofTenant] of Map.groupBy(events, ({ metadata }) => metadata.tenant)) {
        const isOfChannel = ({ stream }: RecordedEvent) =>
          parseStreamName(stream)?.category === channelAggregate.category
        const rows = ofTenant.filter((event) => !isOfChannel(event)).flatMap((event) => addedRow(event) ?? [])
        const owned = await channelsOf(tenant, [...new Set(rows.map(({ recipient }) => recipient))])
        await outbox.request(
          tenant,
          rows.flatMap((row) => requestsOf(row, owned.get(row.recipient) ?? [])),
        )
        for (const event of ofTenant) if (isOfChannel(event)) await notifyOwner(event)
      }
    },
  })
}

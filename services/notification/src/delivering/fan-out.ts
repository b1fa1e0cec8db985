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
import { channelAggregate, channels } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { notificationAggregate, placeOf } from '../notification/aggregate.ts'
import { evolve, type NotificationState, noNotification } from '../notification/notification.ts'
import { linkOfChannel } from '../triggers/links.ts'
import { messageOf } from './message-of.ts'
import { accepts, type DeliveryRequest, type Outbox } from './outbox.ts'

const channelsAtOnce = 500

/**
 * Follows the log: what enters an owner's list is requested for the owner's channels, and the owner of a channel that was
 * paused is notified. At least once; the ids of deliveries and notifications make it idempotent.
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

  async function channelsOf(tenant: string, owner: string): Promise<Channel[]> {
    const where = [{ field: 'audience', is: owner }]
    return (await documents.find(channels, tenant, { where, size: channelsAtOnce })).documents
  }

  /** The deliveries of a row of the list, and of none for an event that changes one. */
  async function requestsOf(event: RecordedEvent, known: Map<string, Promise<Channel[]>>): Promise<DeliveryRequest[]> {
    const state: NotificationState = evolve(noNotification, eventOf(notificationAggregate, event))
    // Parts and what is held are not told. Neither are repeats: their events only count them.
    if (state.status !== 'present' || placeOf(state) !== 'list') return []
    const { tenant } = event.metadata
    const { recipient, notificationId, createdAt, key } = { ...state, key: parseStreamName(event.stream)?.id ?? '' }
    const message: ChannelMessage = messageOf(state, publicUrl)
    const { severity } = message.data
    const own = known.get(recipient) ?? channelsOf(tenant, recipient)
    known.set(recipient, own)
    return (await own)
      .filter((channel) => channel.createdAt <= createdAt && accepts(channel, { kind: message.type, severity }))
      .map((channel) => ({
        channel,
        eventId: key,
        about: '',
        recipient,
        notificationId,
        severity,
        message,
        needs: state.about,
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
      text: `${of.data.reason} ${isGone ? '' : 'Too many attempts in a row failed. '}What is due is parked. Enable the channel to send it.`,
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
        const known = new Map<string, Promise<Channel[]>>()
        const isOfChannel = ({ stream }: RecordedEvent) =>
          parseStreamName(stream)?.category === channelAggregate.category
        const requests = await Promise.all(
          ofTenant.filter((event) => !isOfChannel(event)).map((event) => requestsOf(event, known)),
        )
        await outbox.request(tenant, requests.flat())
        for (const event of ofTenant) if (isOfChannel(event)) await notifyOwner(event)
      }
    },
  })
}

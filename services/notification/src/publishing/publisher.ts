import {
  createProcessor,
  createStatesAround,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { channelAggregate } from '../channel/aggregate.ts'
import { deliveryAggregate } from '../delivery/aggregate.ts'
import { inboxAggregate } from '../inbox/aggregate.ts'
import { muteAggregate } from '../mute/aggregate.ts'
import { notificationAggregate } from '../notification/aggregate.ts'
import { ruleAggregate } from '../rule/aggregate.ts'
import { settingsAggregate } from '../settings/aggregate.ts'
import { watchAggregate } from '../watch/aggregate.ts'
import { channelMessage, isPublished, replayMessage } from './channel-messages.ts'
import {
  inboxMessage,
  muteMessage,
  notificationMessage,
  ruleMessage,
  settingsMessage,
  watchCopyMessage,
  watchMessage,
} from './notification-messages.ts'

/** Publishes watches and notifications from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })

  async function messagesOf(event: RecordedEvent): Promise<(Publication | undefined)[]> {
    const category = parseStreamName(event.stream)?.category
    if (category === channelAggregate.category) return [channelMessage(event, await around(channelAggregate, event))]
    if (category === deliveryAggregate.category) {
      const { after } = await around(deliveryAggregate, event)
      const deliveryId = parseStreamName(event.stream)?.id ?? ''
      const { actor: userId } = event.metadata
      return after.status === 'NONE' ? [] : [replayMessage(event, { channelId: after.channelId, userId, deliveryId })]
    }
    if (category === inboxAggregate.category) return [inboxMessage(event, (await around(inboxAggregate, event)).after)]
    if (category === muteAggregate.category) return [muteMessage(event, (await around(muteAggregate, event)).after)]
    if (category === ruleAggregate.category) return [ruleMessage(event, await around(ruleAggregate, event))]
    if (category === settingsAggregate.category) return [settingsMessage(event)]
    if (category !== watchAggregate.category)
      return [notificationMessage(event, (await around(notificationAggregate, event)).after)]
    const { after: watch } = await around(watchAggregate, event)
    return [watchMessage(event, watch), watchCopyMessage(event, watch)]
  }

  return makeProcessor({
    ...rest,
    name: 'notification-publisher',
    store,
    categories: [
      watchAggregate.category,
      notificationAggregate.category,
      inboxAggregate.category,
      channelAggregate.category,
      deliveryAggregate.category,
      muteAggregate.category,
      settingsAggregate.category,
      ruleAggregate.category,
    ],
    handle: (events) =>
      publishEach(
        bus,
        events.filter((event) => isPublished(event, event.stream)),
        async (event) => (await messagesOf(event)).filter((message) => message !== undefined),
      ),
  })
}

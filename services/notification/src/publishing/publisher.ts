import {
  createProcessor,
  type EventStore,
  eventsUpTo,
  fold,
  type MakeProcessor,
  type Processor,
  type ProcessorOptions,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, publishEach, type Told } from '@assay/message-bus'
import { inboxAggregate } from '../inbox/aggregate.ts'
import { notificationAggregate } from '../notification/aggregate.ts'
import { watchAggregate } from '../watch/aggregate.ts'
import { inboxMessage, notificationMessage, watchCopyMessage, watchMessage } from './notification-messages.ts'

/** Tells the bus of watches and notifications, from the log: nothing is lost between the log and the bus. */
export function createPublisher(
  deps: { store: EventStore; bus: MessageBus; makeProcessor?: MakeProcessor } & Pick<
    ProcessorOptions,
    'checkpoints' | 'timers' | 'clock' | 'onError'
  >,
): Processor {
  const { store, bus, makeProcessor = createProcessor, ...rest } = deps

  async function messagesOf(event: RecordedEvent): Promise<(Told | undefined)[]> {
    // The state as it was after this event: what is told of an event is the same whenever it is told.
    const events = await eventsUpTo(store, event)
    const category = parseStreamName(event.stream)?.category
    if (category === inboxAggregate.category)
      return [inboxMessage(event, fold(inboxAggregate, inboxAggregate.decider.initialState, events))]
    if (category !== watchAggregate.category)
      return [
        notificationMessage(event, fold(notificationAggregate, notificationAggregate.decider.initialState, events)),
      ]
    const watch = fold(watchAggregate, watchAggregate.decider.initialState, events)
    return [watchMessage(event, watch), watchCopyMessage(event, watch)]
  }

  return makeProcessor({
    ...rest,
    name: 'notification-publisher',
    store,
    categories: [watchAggregate.category, notificationAggregate.category, inboxAggregate.category],
    handle: (events) =>
      publishEach(bus, events, async (event) => (await messagesOf(event)).filter((told) => told !== undefined)),
  })
}

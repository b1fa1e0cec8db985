import {
  createProcessor,
  type EventStore,
  fold,
  type MakeProcessor,
  type Processor,
  type ProcessorOptions,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import { notificationAggregate } from '../notification/aggregate.ts'
import { watchAggregate } from '../watch/aggregate.ts'
import { notificationMessage, watchMessage } from './notification-messages.ts'

/** Tells the bus of watches and notifications, from the log: nothing is lost between the log and the bus. */
export function createPublisher(
  deps: { store: EventStore; bus: MessageBus; makeProcessor?: MakeProcessor } & Pick<
    ProcessorOptions,
    'checkpoints' | 'timers' | 'clock' | 'onError'
  >,
): Processor {
  const { store, bus, makeProcessor = createProcessor, ...rest } = deps

  async function messageOf(event: RecordedEvent) {
    // The state as it was after this event: what is told of an event is the same whenever it is told.
    const { events } = await store.read(event.stream, { limit: event.revision + 1 })
    return parseStreamName(event.stream)?.category === watchAggregate.category
      ? watchMessage(event, fold(watchAggregate, watchAggregate.decider.initialState, events))
      : notificationMessage(event, fold(notificationAggregate, notificationAggregate.decider.initialState, events))
  }

  return makeProcessor({
    ...rest,
    name: 'notification-publisher',
    store,
    categories: [watchAggregate.category, notificationAggregate.category],
    async handle(events) {
      for (const event of events) {
        const told = await messageOf(event)
        if (told) await bus.publish(told.topic, [told.message])
      }
    },
  })
}

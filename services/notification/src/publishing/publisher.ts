import {
  createProcessor,
  createStatesAround,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { inboxAggregate } from '../inbox/aggregate.ts'
import { notificationAggregate } from '../notification/aggregate.ts'
import { watchAggregate } from '../watch/aggregate.ts'
import { inboxMessage, notificationMessage, watchCopyMessage, watchMessage } from './notification-messages.ts'

/** Publishes watches and notifications from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })

  async function messagesOf(event: RecordedEvent): Promise<(Publication | undefined)[]> {
    const category = parseStreamName(event.stream)?.category
    if (category === inboxAggregate.category) return [inboxMessage(event, (await around(inboxAggregate, event)).after)]
    if (category !== watchAggregate.category)
      return [notificationMessage(event, (await around(notificationAggregate, event)).after)]
    const { after: watch } = await around(watchAggregate, event)
    return [watchMessage(event, watch), watchCopyMessage(event, watch)]
  }

  return makeProcessor({
    ...rest,
    name: 'notification-publisher',
    store,
    categories: [watchAggregate.category, notificationAggregate.category, inboxAggregate.category],
    handle: (events) =>
      publishEach(bus, events, async (event) => (await messagesOf(event)).filter((message) => message !== undefined)),
  })
}

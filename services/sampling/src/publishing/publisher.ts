import {
  createProcessor,
  type EventStore,
  eventsUpTo,
  fold,
  type MakeProcessor,
  type Processor,
  type ProcessorOptions,
} from '@assay/event-store'
import { type MessageBus, publishEach } from '@assay/message-bus'
import { assetSamplesAggregate } from '../asset-samples/aggregate.ts'
import { sampleMessage } from './sample-messages.ts'

/** Tells the bus of what happened to samples, from the log: nothing is lost between the log and the bus. */
export function createPublisher(
  deps: { store: EventStore; bus: MessageBus; makeProcessor?: MakeProcessor } & Pick<
    ProcessorOptions,
    'checkpoints' | 'timers' | 'clock' | 'onError'
  >,
): Processor {
  const { store, bus, makeProcessor = createProcessor, ...rest } = deps
  return makeProcessor({
    ...rest,
    name: 'sampling-publisher',
    store,
    categories: [assetSamplesAggregate.category],
    handle: (events) =>
      publishEach(bus, events, async (event) => {
        // The state as it was after this event: what is told of an event is the same whenever it is told.
        const events = await eventsUpTo(store, event)
        const state = fold(assetSamplesAggregate, assetSamplesAggregate.decider.initialState, events)
        const told = sampleMessage(event, state)
        return told ? [told] : []
      }),
  })
}

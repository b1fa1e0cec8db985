import { createProcessor, createStatesAround, type Processor, type ProcessorDeps } from '@assay/event-store'
import { type MessageBus, publishEach } from '@assay/message-bus'
import { assetSamplesAggregate } from '../asset-samples/aggregate.ts'
import { sampleMessage } from './sample-messages.ts'

/** Publishes sample events from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })
  return makeProcessor({
    ...rest,
    name: 'sampling-publisher',
    store,
    categories: [assetSamplesAggregate.category],
    handle: (events) =>
      publishEach(bus, events, async (event) => {
        const message = sampleMessage(event, (await around(assetSamplesAggregate, event)).after)
        return message ? [message] : []
      }),
  })
}

import { internalTopics } from '@assay/contracts'
import {
  createProcessor,
  createStatesAround,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { keyAggregate } from '../key/aggregate.ts'
import { keyMessageOf } from './key-message.ts'

/** Publishes the states of keys from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })

  async function messagesOf(event: RecordedEvent): Promise<readonly Publication[]> {
    const { id, position, revision, metadata } = event
    const keyId = parseStreamName(event.stream)?.id ?? ''
    const data = keyMessageOf({ state: (await around(keyAggregate, event)).after, revision }, keyId)
    if (data === undefined) return []
    const { tenant } = data
    const { occurredAt: time, traceparent, tracestate } = metadata
    // The key includes the tenant, because the topic is compacted.
    const key = `${tenant}/${keyId}`
    return [
      {
        topic: internalTopics.keys,
        message: { id, key, type: 'key', tenant, time, position, data, traceparent, tracestate },
      },
    ]
  }

  return makeProcessor({
    ...rest,
    name: 'gateway-publisher',
    store,
    categories: [keyAggregate.category],
    handle: (events) => publishEach(bus, events, messagesOf),
  })
}

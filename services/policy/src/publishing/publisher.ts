import {
  createProcessor,
  createStatesAround,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { persistenceAggregate } from '../persistence/aggregate.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { ruleTagAggregate } from '../rule-tags/rule-tag.ts'
import { policyMessages } from './policy-messages.ts'
import { settingMessage } from './setting-messages.ts'

/** Publishes policy events from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })

  async function messagesOf(event: RecordedEvent): Promise<readonly Publication[]> {
    if (parseStreamName(event.stream)?.category !== policyAggregate.category) return [settingMessage(event)]
    const { before, after } = await around(policyAggregate, event)
    if (after.status === 'absent') return []
    return policyMessages(event, after, before.status === 'absent' ? undefined : before)
  }

  return makeProcessor({
    ...rest,
    name: 'policy-publisher',
    store,
    categories: [policyAggregate.category, persistenceAggregate.category, ruleTagAggregate.category],
    handle: (events) => publishEach(bus, events, messagesOf),
  })
}

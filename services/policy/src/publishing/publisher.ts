import {
  createProcessor,
  eventsUpTo,
  fold,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { persistenceAggregate } from '../persistence/aggregate.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { absent } from '../policy/policy.ts'
import { ruleTagAggregate } from '../rule-tags/rule-tag.ts'
import { policyMessages } from './policy-messages.ts'
import { settingMessage } from './setting-messages.ts'

/** Publishes policy events from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, bus, makeProcessor = createProcessor, ...rest } = deps

  async function messagesOf(event: RecordedEvent): Promise<readonly Publication[]> {
    if (parseStreamName(event.stream)?.category !== policyAggregate.category) return [settingMessage(event)]
    // The policy right after this event, so that a message is the same whenever it is published.
    const events = await eventsUpTo(store, event)
    const state = fold(policyAggregate, absent, events)
    if (state.status === 'absent') return []
    const before = fold(policyAggregate, absent, events.slice(0, -1))
    return policyMessages(event, state, before.status === 'absent' ? undefined : before)
  }

  return makeProcessor({
    ...rest,
    name: 'policy-publisher',
    store,
    categories: [policyAggregate.category, persistenceAggregate.category, ruleTagAggregate.category],
    handle: (events) => publishEach(bus, events, messagesOf),
  })
}

import type { MakeProcessor, RecordedEvent } from '../../../packages/event-store/src/index.ts'
import type { Delivery, Message, MessageBus, Outcome } from '../../../packages/message-bus/src/index.ts'
import type { LogCopy } from './log-copy.ts'

export interface Sent {
  topic: string
  message: Message
}

function refuse(): never {
  throw new Error('Only reading the log is allowed here.')
}

/**
 * Dependencies for processors and receivers of services that compute their results for a log without side effects: every
 * use of clock, timers or logger throws. `processAll` passes the log to the processors created with `deps`, `deliverAll`
 * passes messages to the subscribed handlers.
 */
export function readingOnly({ events, store }: LogCopy) {
  const sent: Sent[] = []
  const processors: { categories: ReadonlySet<string>; handle(some: readonly RecordedEvent[]): Promise<void> }[] = []
  const receivers: { topics: ReadonlySet<string>; handle(delivery: Delivery): Promise<Outcome> }[] = []
  const bus: MessageBus = {
    publish: async (topic, messages) => void sent.push(...messages.map((message) => ({ topic, message }))),
    async subscribe({ topics, handle }) {
      receivers.push({ topics: new Set(topics), handle })
      return { lag: refuse, close: refuse }
    },
    parked: refuse,
    parkedCount: refuse,
    replayParked: refuse,
    close: refuse,
  }
  const makeProcessor: MakeProcessor = ({ categories = [], handle }) => {
    processors.push({ categories: new Set(categories), handle })
    return {
      start: refuse,
      stop: refuse,
      lag: refuse,
      parked: refuse,
    }
  }
  const deps = {
    bus,
    makeProcessor,
    clock: { now: refuse },
    store: { ...store, append: refuse, subscribe: refuse, close: refuse },
    checkpoints: {
      get: refuse,
      begin: refuse,
      restart: refuse,
      set: refuse,
      parked: refuse,
      parkedByAll: refuse,
      park: refuse,
      unpark: refuse,
      requestRetry: refuse,
      recordFailedRetry: refuse,
    },
    timers: { sleep: refuse, every: refuse },
    logger: { trace: refuse, debug: refuse, info: refuse, warn: refuse, error: refuse, fatal: refuse },
    newId: refuse,
    onError: refuse,
  }
  return {
    deps,
    /** The messages published so far. */
    sent,
    commit: refuse,
    async processAll(): Promise<void> {
      for (const { categories, handle } of processors)
        await handle(events.filter(({ stream }) => categories.has(/\/([^-]+)-/.exec(stream)?.[1] ?? '')))
    },
    async deliverAll(some: readonly Sent[]): Promise<void> {
      for (const { topics, handle } of receivers)
        for (const { topic, message } of some) {
          if (!topics.has(topic)) continue
          const outcome = await handle({ topic, message, attempt: 1 })
          if (outcome.kind !== 'done')
            throw new Error(`${topic} ${message.id} was not handled: ${JSON.stringify(outcome)}`)
        }
    },
  }
}

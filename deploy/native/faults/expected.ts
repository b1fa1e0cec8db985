import { z } from 'zod'
import {
  createCommandHandler,
  type MakeProcessor,
  type RecordedEvent,
} from '../../../packages/event-store/src/index.ts'
import type { Message, MessageBus } from '../../../packages/message-bus/src/index.ts'
import type { Effect, ExpectedMessage } from '../../../packages/testkit/src/index.ts'
import { createPublisher as createCatalogPublisher } from '../../../services/catalog/src/publishing/publisher.ts'
import { createPublisher as createExecutionPublisher } from '../../../services/execution/src/publishing/publisher.ts'
import { happeningOf } from '../../../services/notification/src/happenings/happening.ts'
import { createPublisher as createNotificationPublisher } from '../../../services/notification/src/publishing/publisher.ts'
import { createPublisher as createPolicyPublisher } from '../../../services/policy/src/publishing/publisher.ts'
import { createPublisher as createSamplingPublisher } from '../../../services/sampling/src/publishing/publisher.ts'
import { effectName } from './from-log.ts'
import type { LogCopy } from './log-copy.ts'

function refuse(): never {
  throw new Error('What only reads the log asked for more.')
}

/** Collections of messages that tell of a state as it stands when they are sent: their content is not that of the event. */
const ofState = new Set(['assay.internal.tables'])

/** The messages that the publishers of all services make of the log, when nothing goes wrong. */
export async function expectedMessages({ events, store }: LogCopy): Promise<{ topic: string; message: Message }[]> {
  const sent: { topic: string; message: Message }[] = []
  const bus: MessageBus = {
    publish: async (topic, messages) => void sent.push(...messages.map((message) => ({ topic, message }))),
    subscribe: refuse,
    parked: refuse,
    replayParked: refuse,
    close: refuse,
  }
  const handlers: { categories: ReadonlySet<string>; handle(some: readonly RecordedEvent[]): Promise<void> }[] = []
  const makeProcessor: MakeProcessor = ({ categories = [], handle }) => {
    handlers.push({ categories: new Set(categories), handle })
    return {
      start: refuse,
      stop: refuse,
      caughtUpTo: refuse,
      waitFor: refuse,
      lag: refuse,
      parked: refuse,
      replay: refuse,
    }
  }
  const clock = { now: refuse }
  const silent = { trace: refuse, debug: refuse, info: refuse, warn: refuse, error: refuse, fatal: refuse }
  const deps = {
    bus,
    makeProcessor,
    clock,
    store: { ...store, append: refuse, subscribe: refuse, close: refuse },
    checkpoints: { get: refuse, set: refuse, parked: refuse, park: refuse, unpark: refuse },
    timers: { sleep: refuse, every: refuse },
    logger: silent,
    newId: refuse,
    onError: refuse,
  }
  const handler = createCommandHandler({ ...deps, commit: refuse })
  createCatalogPublisher({ ...deps, handler })
  createPolicyPublisher(deps)
  createExecutionPublisher(deps)
  createSamplingPublisher(deps)
  createNotificationPublisher(deps)
  for (const { categories, handle } of handlers)
    await handle(events.filter(({ stream }) => categories.has(/\/([^-]+)-/.exec(stream)?.[1] ?? '')))
  return sent
}

export function asExpected(sent: readonly { topic: string; message: Message }[]): ExpectedMessage[] {
  return sent.map(({ topic, message: { id, key, data } }) => ({
    topic,
    id,
    key,
    ...(ofState.has(topic) ? {} : { body: JSON.stringify(data) }),
  }))
}

/** What a watch begins with. */
const watched = z.object({ assetId: z.int(), user: z.string(), at: z.string() })

/** What those who watch have to be told of the public events. Nobody stops watching under the load. */
export function expectedEffects(
  events: readonly RecordedEvent[],
  sent: readonly { topic: string; message: Message }[],
): Effect[] {
  const watching = events.filter(({ type }) => type === 'AssetWatched').map(({ data }) => watched.parse(data))
  const followed = sent.filter(({ topic }) =>
    /^assay\.(catalog\.assets|policy\.policies|execution\.executions)$/.test(topic),
  )
  return followed.flatMap(({ message }) => {
    const { eventId, told } = happeningOf(message.data)
    return told.flatMap(({ assetId, watchedId = assetId, at }) =>
      watching
        .filter((watch) => watch.assetId === watchedId && at >= watch.at)
        .map(({ user }) => ({ cause: effectName(eventId, assetId, user) })),
    )
  })
}

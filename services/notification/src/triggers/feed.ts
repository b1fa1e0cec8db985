import { keepingCopies, topicsOf } from '@assay/catalog-copies'
import { cloudEvent, internalTopics, publicTopics } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Delivery, done, type MessageBus, type Outcome, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { notificationCopies } from '../copies/copies.ts'
import { storeScore } from '../scores/score.ts'
import { hiddenEndOf, lateEndOf, storeHiddenEnd, triggerOfHiddenEnd } from './hidden-ends.ts'
import type { NotificationTrigger } from './trigger.ts'
import { triggerOf } from './trigger-of.ts'

const endsOfRuns = new Set(
  ['ExecutionFinished', 'ExecutionFailed', 'ExecutionAborted'].map((name) => `io.assay.execution.${name}`),
)

/** Keeps the local read models of tables and folders, and notifies watchers. An unreadable message is parked. */
export function feed(deps: {
  bus: Pick<MessageBus, 'subscribe'>
  documents: Pick<Documents, 'get' | 'find' | 'put'>
  notifyWatchers: (tenant: string, trigger: NotificationTrigger) => Promise<void>
}): Promise<Subscription> {
  const { documents } = deps
  const copies = notificationCopies
  const keep = keepingCopies({ documents, copies })
  const keeping = new Set<Promise<Outcome>>()

  function keepCopy(delivery: Delivery): Promise<Outcome> {
    const kept = keep(delivery)
    keeping.add(kept)
    return kept.finally(() => keeping.delete(kept))
  }

  async function takeEvent({ topic, message: { id, time, tenant, data } }: Delivery): Promise<Outcome> {
    let trigger: NotificationTrigger
    try {
      if (topic === internalTopics.incidentEnds) {
        const end = hiddenEndOf(id, data, time)
        await storeHiddenEnd(documents, tenant, end)
        trigger = triggerOfHiddenEnd(end)
      } else trigger = triggerOf(data)
      // Before the notification, whose mail may show it.
      const event = cloudEvent.safeParse(data).data
      if (event !== undefined && endsOfRuns.has(event.type)) await storeScore(documents, tenant, event.data, event.time)
    } catch (error) {
      if (error instanceof z.ZodError) return { kind: 'park', reason: z.prettifyError(error) }
      throw error
    }
    // Who watches depends on what happened before, such as a tag of the asset: the event's message arrives by another
    // topic, and its handler could overtake that of the earlier message.
    await Promise.allSettled(keeping)
    await deps.notifyWatchers(tenant, trigger)
    const end = await lateEndOf(documents, tenant, trigger)
    if (end !== undefined) await deps.notifyWatchers(tenant, end)
    return done
  }

  const topics = topicsOf(copies)
  return deps.bus.subscribe({
    topics: [
      ...topics,
      publicTopics.assets,
      publicTopics.policies,
      publicTopics.executions,
      internalTopics.incidentEnds,
    ],
    group: 'notification',
    handle: (delivery) => (topics.includes(delivery.topic) ? keepCopy(delivery) : takeEvent(delivery)),
  })
}

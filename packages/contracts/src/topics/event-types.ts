import { z } from 'zod'
import type { ServiceName } from '../operations/operation.ts'
import { catalogEventTypes } from './event-types/catalog.ts'
import { executionEventTypes } from './event-types/execution.ts'
import { notificationEventTypes } from './event-types/notification.ts'
import { policyEventTypes } from './event-types/policy.ts'
import { samplingEventTypes } from './event-types/sampling.ts'
import type { EventType, EventTypes } from './event-types/shapes.ts'
import { publicTopics } from './messages.ts'

export type { EventType } from './event-types/shapes.ts'

/** The public topics: for each publisher, the types of its events. */
export const publicEventTypes: readonly { topic: string; service: ServiceName; types: EventTypes }[] = [
  { topic: publicTopics.assets, service: 'catalog', types: catalogEventTypes },
  { topic: publicTopics.policies, service: 'policy', types: policyEventTypes },
  { topic: publicTopics.executions, service: 'execution', types: executionEventTypes },
  { topic: publicTopics.samples, service: 'sampling', types: samplingEventTypes },
  { topic: publicTopics.notifications, service: 'notification', types: notificationEventTypes },
]

/** All types of public events by their full name, such as `io.assay.policy.PolicyCreated`. */
export const eventTypes: ReadonlyMap<string, EventType & { topic: string }> = new Map(
  publicEventTypes.flatMap(({ topic, service, types }) =>
    Object.entries(types).map(([name, type]) => [`io.assay.${service}.${name}`, { ...type, topic }] as const),
  ),
)

const names = [...eventTypes.keys()]
/** The entities with which subjects can begin. */
export const eventEntities: readonly string[] = [...new Set([...eventTypes.values()].map(({ entity }) => entity))]

/** A type of events in a query, or a prefix that ends with `*`. */
export const eventTypePattern = z
  .string()
  .refine(
    (text) => (text.endsWith('*') ? names.some((name) => name.startsWith(text.slice(0, -1))) : eventTypes.has(text)),
    { error: ({ input }) => `no event has the type ${JSON.stringify(input)}; /docs/events lists the types` },
  )

/** `<entity>` or `<entity>/<id>` in a query. */
export const eventEntity = z.string().refine(
  (text) => {
    const [entity = '', id, ...rest] = text.toLowerCase().split('/')
    return eventEntities.includes(entity) && id !== '' && rest.length === 0
  },
  {
    error: ({ input }) => `no event has the entity ${JSON.stringify(input)}; entities are ${eventEntities.join(', ')}`,
  },
)

/** The beginning of a subject, `<entity>/<id>`, in a query. */
export const eventSubject = z
  .string()
  .max(200)
  .refine(
    (text) => {
      const [entity = '', ...ids] = text.split('/')
      if (ids.length === 0) return eventEntities.some((known) => known.startsWith(entity))
      return ids.length === 1 && eventEntities.includes(entity)
    },
    {
      error: ({ input }) => `no subject begins with ${JSON.stringify(input)}; entities are ${eventEntities.join(', ')}`,
    },
  )

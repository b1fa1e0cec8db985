import { publicTopics, type ServiceName } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import { done, type MessageBus, type Outcome, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import type { AuditDocument } from './collection.ts'
import { auditLines } from './collection.ts'
import { auditLineOfEvent } from './of-cloud-event.ts'

/** Consumer group that writes the audit. */
export const auditGroup = 'gateway-audit'

const owners: ReadonlyMap<string, ServiceName> = new Map([
  [publicTopics.assets, 'catalog'],
  [publicTopics.policies, 'policy'],
  [publicTopics.executions, 'execution'],
  [publicTopics.samples, 'sampling'],
  [publicTopics.notifications, 'notification'],
])

/** Services whose writes arrive over the bus. */
export const auditedServices = [...owners.values()]

/** Puts an audit line. Idempotent: the event id is the document's id. */
export function auditPut(tenant: string, line: AuditDocument) {
  return documentPut(auditLines, tenant, line.id, line, { revision: 0, position: line.position })
}

/** Writes an audit line for every public event. An unreadable message is parked. */
export function feedAudit(deps: {
  bus: MessageBus
  documents: Pick<Documents, 'put'>
  /** Runs the work of a message, then records its position. */
  follow: (service: ServiceName, tenant: string, position: string, work: () => Promise<void>) => Promise<void>
}): Promise<Subscription> {
  const { bus, documents, follow } = deps
  return bus.subscribe({
    topics: [...owners.keys()],
    group: auditGroup,
    async handle({ topic, message: { tenant, position, data } }): Promise<Outcome> {
      const service = owners.get(topic)
      if (service === undefined) return { kind: 'park', reason: `No service owns the topic ${topic}.` }
      let line: AuditDocument
      try {
        line = auditLineOfEvent(data, position)
      } catch (error) {
        if (error instanceof z.ZodError) return { kind: 'park', reason: z.prettifyError(error) }
        throw error
      }
      await follow(service, tenant, position, () => documents.put([auditPut(tenant, line)]))
      return done
    },
  })
}

import { publicTopics } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import { done, type MessageBus, type Outcome, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import type { AuditDocument } from './collection.ts'
import { auditLines } from './collection.ts'
import { auditLineOfEvent } from './of-cloud-event.ts'

/** Consumer group that writes the audit. */
export const auditGroup = 'gateway-audit'

/** Puts an audit line. Idempotent: the event id is the document's id. */
export function auditPut(tenant: string, line: AuditDocument) {
  return documentPut(auditLines, tenant, line.id, line, { revision: 0, position: line.position })
}

/** Writes an audit line for every public event. An unreadable message is parked. */
export function feedAudit(deps: { bus: MessageBus; documents: Pick<Documents, 'put'> }): Promise<Subscription> {
  const { bus, documents } = deps
  return bus.subscribe({
    topics: Object.values(publicTopics),
    group: auditGroup,
    async handle({ message: { tenant, position, data } }): Promise<Outcome> {
      let line: AuditDocument
      try {
        line = auditLineOfEvent(data, position)
      } catch (error) {
        if (error instanceof z.ZodError) return { kind: 'park', reason: z.prettifyError(error) }
        throw error
      }
      await documents.put([auditPut(tenant, line)])
      return done
    },
  })
}

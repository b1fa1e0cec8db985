import { type AuditLine, auditLine, entityIdOf } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const auditDocument = auditLine.extend({
  entityId: z.string(),
  before: z.json(),
  after: z.json(),
  position: z.string(),
})
/** `position`: of the event in the log of the service that wrote it. */
export type AuditDocument = z.infer<typeof auditDocument>

/** One for each event of any service; it never changes. A rebuild leaves it as it is: no log of the gateway holds it all. */
export const auditLines = defineCollection<AuditDocument>({
  name: 'audit',
  version: 1,
  idType: 'text',
  schema: auditDocument,
  // Lines are always sorted by time, and every line is written once for each index.
  fields: {
    at: { type: 'text', of: ({ at }) => at, required: true, alone: false },
    actor: { type: 'text', of: ({ actor }) => actor, alone: false },
    action: { type: 'text', of: ({ action }) => action, alone: false },
    entityType: { type: 'text', of: ({ entityType }) => entityType, alone: false },
    entityId: { type: 'text', of: ({ entityId }) => entityId, alone: false },
    position: { type: 'text', of: ({ position }) => position, required: true },
  },
  listings: [
    ['at', 'position'],
    ['actor', 'at', 'position'],
    ['actor', 'action', 'at', 'position'],
    ['actor', 'entityType', 'at', 'position'],
    ['action', 'at', 'position'],
    ['entityType', 'at', 'position'],
    ['entityId', 'entityType', 'at', 'position'],
  ],
})

/** What a line shows of its document. */
export function lineOf({ position: _, ...line }: AuditDocument): AuditLine {
  return { ...line, entityId: entityIdOf(line.entityType, line.entityId) }
}

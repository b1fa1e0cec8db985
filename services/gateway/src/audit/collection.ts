import { type AuditLine, auditLine } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const auditDocument = auditLine.extend({ before: z.json(), after: z.json(), position: z.string() })
/** `position`: of the event in the log of the service that wrote it. */
export type AuditDocument = z.infer<typeof auditDocument>

/** One for each event of any service; it never changes. A rebuild leaves it as it is: no log of the gateway holds it all. */
export const auditLines = defineCollection<AuditDocument>({
  name: 'audit',
  version: 1,
  idType: 'text',
  schema: auditDocument,
  fields: {
    at: { type: 'text', of: ({ at }) => at, required: true },
    actor: { type: 'text', of: ({ actor }) => actor },
    action: { type: 'text', of: ({ action }) => action },
    entityType: { type: 'text', of: ({ entityType }) => entityType },
    entityId: { type: 'text', of: ({ entityId }) => entityId },
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
  return line
}

import { type AuditLine, auditLine, entityIdOf } from '@assay/contracts'
import { type Documents, defineCollection } from '@assay/documents'
import type { Missing } from '@assay/event-store'
import { z } from 'zod'

const auditDocument = auditLine.extend({
  entityId: z.string(),
  before: z.json(),
  after: z.json(),
  position: z.string(),
})
/** `position`: position of the event in the log of its service. */
export type AuditDocument = z.infer<typeof auditDocument>

/**
 * One document per event of any service, never changed. A rebuild keeps them, because no single log has all events.
 */
export const auditLines = defineCollection<AuditDocument>({
  name: 'audit',
  version: 1,
  idType: 'text',
  schema: auditDocument,
  // Lines are always sorted by time; each index costs a write per line.
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

/** The fields of a document that a line shows. */
export function lineOf({ position: _, ...line }: AuditDocument): AuditLine {
  return { ...line, entityId: entityIdOf(line.entityType, line.entityId) }
}

/** The logs of the services whose positions may be equal. */
const maxLogs = 6
/** The largest page that the documents have. Lines beyond it are found by the next check, when fewer are missing. */
const maxPage = 1000

/** The positions of events that have no line yet. Positions of different services may be equal. */
export function linesMissing(documents: Pick<Documents, 'find'>): Missing {
  return async (tenant, positions) => {
    const query = { where: [{ field: 'position', in: positions }], size: Math.min(maxPage, positions.length * maxLogs) }
    const found = new Set((await documents.find(auditLines, tenant, query)).documents.map(({ position }) => position))
    return positions.filter((position) => !found.has(position))
  }
}

import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'

/**
 * One write: when, by whom, with which key (null for what Assay did on its own), what it did to what. `before` and `after`
 * hold the fields that it changed: `before` is null for what is new, `after` for what is gone.
 */
export const auditLine = z
  .object({
    id: z.string(),
    at: z.string(),
    actor: z.string(),
    accessKey: z.string().nullable(),
    action: z.string(),
    entityType: z.string(),
    entityId: z.string(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditLine' })
export type AuditLine = z.infer<typeof auditLine>

export const auditList = z.object({ data: z.array(auditLine), meta: pageMeta })

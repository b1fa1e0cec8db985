import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { eventEntities } from '../topics/event-types.ts'
import { idText } from '../values/scalars.ts'

/** Types whose ids are text, even if they consist of digits. */
const typesWithTextIds: readonly string[] = ['API_KEY', 'SERVICE_USER', 'TENANT']

/**
 * The entity types of audit lines: those of public events, and those of the gateway. Comments and other annotations have
 * the type of their asset.
 */
export const auditEntityTypes: readonly string[] = [
  ...eventEntities.map((entity) => entity.toUpperCase().replaceAll('-', '_')),
  ...typesWithTextIds,
].filter((type, at, all) => all.indexOf(type) === at)

/** The id of an entity as its own record shows it: a number or text. */
export function entityIdOf(entityType: string, text: string): number | string {
  return !typesWithTextIds.includes(entityType) && idText.safeParse(text).success ? Number(text) : text
}

/**
 * One write: when, by whom, with which key (null for Assay's own writes), which action on what. `before` and `after`
 * have the changed fields: `before` is null for a new entity, `after` is null for a deleted one.
 */
export const auditLine = z
  .object({
    id: z.string(),
    at: z.string(),
    actor: z.string(),
    accessKey: z.string().nullable(),
    action: z.string(),
    entityType: z.string(),
    entityId: z.union([z.int(), z.string()]),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditLine' })
export type AuditLine = z.infer<typeof auditLine>

export const auditList = z.object({ data: z.array(auditLine), meta: pageMeta })

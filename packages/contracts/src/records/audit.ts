import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { publicData } from '../topics/public-data.ts'

/**
 * The types of entities that lines are of: those of the public events, and those of which only the gateway knows. What
 * people say about an asset, comments too, is of the asset.
 */
export const auditEntityTypes: readonly string[] = [
  ...Object.values(publicData).flatMap(({ service, entities }) =>
    entities.map((each) => (each.startsWith('<') ? service : each).toUpperCase().replaceAll('-', '_')),
  ),
  ...['API_KEY', 'SERVICE_USER', 'TENANT'],
].filter((type, at, all) => all.indexOf(type) === at)

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

import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { publicData } from '../topics/public-data.ts'
import { idText } from '../values/scalars.ts'

/** Those whose ids are texts, also where one consists of digits. */
const named: readonly string[] = ['API_KEY', 'SERVICE_USER', 'TENANT']

/**
 * The types of entities that lines are of: those of the public events, and those of which only the gateway knows. What
 * people say about an asset, comments too, is of the asset.
 */
export const auditEntityTypes: readonly string[] = [
  ...Object.values(publicData).flatMap(({ service, entities }) =>
    entities.map((each) => (each.startsWith('<') ? service : each).toUpperCase().replaceAll('-', '_')),
  ),
  ...named,
].filter((type, at, all) => all.indexOf(type) === at)

/** The id of an entity as its own record has it: a number, or a text where it is none. */
export function entityIdOf(entityType: string, text: string): number | string {
  return !named.includes(entityType) && idText.safeParse(text).success ? Number(text) : text
}

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
    entityId: z.union([z.int(), z.string()]),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditLine' })
export type AuditLine = z.infer<typeof auditLine>

export const auditList = z.object({ data: z.array(auditLine), meta: pageMeta })

import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { isoTime } from '../values/scalars.ts'

/**
 * A version of a policy. `changedPaths`: fields of the definition that differ from the previous version; empty for the
 * first.
 */
export const policyVersion = z
  .object({ version: z.int(), at: isoTime, actor: z.string(), changedPaths: z.array(z.string()) })
  .meta({ id: 'PolicyVersion' })
export type PolicyVersion = z.infer<typeof policyVersion>
export const versionList = z.object({ data: z.array(policyVersion), meta: pageMeta })

/** `before`: the value in version `from`. `after`: the value in version `to`. Null if that version lacks the field. */
export const versionChanges = z
  .object({
    from: z.int(),
    to: z.int(),
    changes: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() })),
  })
  .meta({ id: 'PolicyVersionChanges' })
export type VersionChange = z.infer<typeof versionChanges>['changes'][number]

import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const executedVersion = z.object({ version: z.int(), executionId: z.int(), position: z.string() })
/** The version that the last completed run of a policy was bound to. */
export type ExecutedVersion = z.infer<typeof executedVersion>

/** By policy id. */
export const executedVersions = defineCollection<ExecutedVersion>({
  name: 'policy_executed_versions',
  version: 1,
  idType: 'integer',
  schema: executedVersion,
  fields: { position: { type: 'text', of: ({ position }) => position } },
})

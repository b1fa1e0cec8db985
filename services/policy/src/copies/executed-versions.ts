import type { ExecutedVersionMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
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

/**
 * The document that a message puts. Runs of a policy never overlap, so the end time serves as the revision; the run's
 * number cannot, because replicas take numbers from different blocks. A message with a time replaces any without one.
 * Pure.
 */
export function executedVersionPut(tenant: string, message: ExecutedVersionMessage, position: string): DocumentPut {
  const { policyId, version, executionId, finishedAt } = message
  const source = { revision: finishedAt === undefined ? executionId : Date.parse(finishedAt), position }
  return documentPut(executedVersions, tenant, policyId, { version, executionId, position }, source)
}

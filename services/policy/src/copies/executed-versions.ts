import { type ExecutedVersionMessage, executedRevision } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const executedVersion = z.object({ version: z.int(), executionId: z.int() })
/** The version that the last completed run of a policy was bound to. */
export type ExecutedVersion = z.infer<typeof executedVersion>

/** By policy id. */
export const executedVersions = defineCollection<ExecutedVersion>({
  name: 'policy_executed_versions',
  version: 2,
  idType: 'integer',
  schema: executedVersion,
  fields: {},
})

/** The document that a message puts. Pure. */
export function executedVersionPut(tenant: string, message: ExecutedVersionMessage, position: string): DocumentPut {
  const { policyId, version, executionId } = message
  const source = { revision: executedRevision(message), position }
  return documentPut(executedVersions, tenant, policyId, { version, executionId }, source)
}

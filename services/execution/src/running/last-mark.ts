import type { Documents } from '@assay/documents'
import { executions } from '../execution/execution.documents.ts'

/**
 * What the latest run of a policy by this marker reached; null before the first. Only runs that came to their end moved
 * it, and runs of one policy never overlap: it stands still while one is under way.
 */
export async function lastMark(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  policyId: number,
  key: string | null,
): Promise<string | null> {
  if (key === null) return null
  const found = await documents.find(executions, tenant, {
    where: [
      { field: 'policyId', is: policyId },
      { field: 'markKey', is: key },
    ],
    sort: [
      { field: 'startedAt', direction: 'desc' },
      { field: 'id', direction: 'desc' },
    ],
    size: 1,
  })
  const [latest] = found.documents
  return latest?.status === 'succeeded' ? (latest.result.mark?.value ?? null) : null
}

import type { Documents } from '@assay/documents'
import { executions } from '../execution/execution.documents.ts'
import type { SideName } from '../execution/run.ts'

/**
 * The marker positions of the latest successful run of a policy with these markers, by side; empty before the first
 * run. They do not change during a run, because runs of one policy never overlap.
 */
export async function lastPositions(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  policyId: number,
  key: string | null,
): Promise<ReadonlyMap<SideName, string>> {
  if (key === null) return new Map()
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
  const sides = latest?.status === 'succeeded' ? latest.result.sides : []
  return new Map(sides.flatMap(({ side, mark }) => (mark === null ? [] : [[side, mark] as const])))
}

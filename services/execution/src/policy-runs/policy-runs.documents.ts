import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { type PolicyRuns, policyRuns } from './policy-runs.ts'

/** One document for each policy that ever ran. The reaper looks for those with an open run. */
export const policyRunsCollection = defineCollection<PolicyRuns>({
  name: 'execution_policy_runs',
  version: 1,
  idType: 'integer',
  schema: policyRuns,
  fields: { open: { type: 'boolean', of: ({ open }) => open !== null } },
})

/** The documents of one policy's stream of runs. */
export function policyRunsDocuments(
  state: PolicyRuns,
  key: { tenant: string; id: string | number },
  source: Source,
): DocumentPut[] {
  return [documentPut(policyRunsCollection, key.tenant, Number(key.id), state, source)]
}

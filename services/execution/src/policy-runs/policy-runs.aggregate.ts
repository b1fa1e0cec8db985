import type { Aggregate } from '@assay/event-store'
import { policyRunsCollection, policyRunsDocuments } from './policy-runs.documents.ts'
import { decide, evolve, noRuns, type PolicyRuns, type PolicyRunsCommand, type PolicyRunsEvent } from './policy-runs.ts'

/** Streams `<tenant>/policyruns-<policy id>`. */
export const policyRunsAggregate: Aggregate<PolicyRuns, PolicyRunsCommand, PolicyRunsEvent> = {
  category: 'policyruns',
  decider: { initialState: noRuns, decide, evolve },
  schemaVersion: 1,
  documents: policyRunsDocuments,
  wholeDocument: (documents, { tenant, id }) => documents.get(policyRunsCollection, tenant, Number(id)),
}

import type { Aggregate } from '@assay/event-store'
import { policyRunsDocuments } from './policy-runs.documents.ts'
import { decide, evolve, noRuns, type PolicyRuns, type PolicyRunsCommand, type PolicyRunsEvent } from './policy-runs.ts'

/** Streams `<tenant>/policyruns-<policy id>`. */
export const policyRunsAggregate: Aggregate<PolicyRuns, PolicyRunsCommand, PolicyRunsEvent> = {
  category: 'policyruns',
  decider: { initialState: noRuns, decide, evolve },
  schemaVersion: 1,
  documents: policyRunsDocuments,
}

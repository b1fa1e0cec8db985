import { type Aggregate, eventOf, parseStreamName } from '@assay/event-store'
import { policyRunsCollection, policyRunsDocuments, policyRunsEventDocuments } from './policy-runs.documents.ts'
import { decide, evolve, noRuns, type PolicyRuns, type PolicyRunsCommand, type PolicyRunsEvent } from './policy-runs.ts'

/** Streams `<tenant>/policyruns-<policy id>`. */
export const policyRunsAggregate: Aggregate<PolicyRuns, PolicyRunsCommand, PolicyRunsEvent> = {
  category: 'policyruns',
  decider: { initialState: noRuns, decide, evolve },
  schemaVersion: 1,
  documents: policyRunsDocuments,
  eventDocuments(recorded) {
    const key = parseStreamName(recorded.stream)
    return key === undefined ? [] : policyRunsEventDocuments(eventOf(policyRunsAggregate, recorded), key, recorded)
  },
  wholeDocument: (documents, { tenant, id }) => documents.get(policyRunsCollection, tenant, Number(id)),
}

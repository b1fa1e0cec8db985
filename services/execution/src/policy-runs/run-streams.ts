import type { Documents } from '@assay/documents'
import { type CommandContext, type Commit, type EventStore, fold, type NewEvent, streamName } from '@assay/event-store'
import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { policyRunsAggregate } from './policy-runs.aggregate.ts'
import { policyRunsCollection } from './policy-runs.documents.ts'
import { noRuns, type PolicyRuns, type PolicyRunsCommand } from './policy-runs.ts'

/** Times that a command is decided anew because another start was first. */
const maxTries = 20

/** The streams of policies' runs. They grow for ever, so their document serves as the snapshot to begin from. */
export interface RunStreams {
  load(tenant: string, policyId: number): Promise<PolicyRuns>
  /** Errors: those of `decide`; `conflict` after twenty tries. */
  handle(tenant: string, policyId: number, command: PolicyRunsCommand, context: CommandContext): Promise<void>
}

export function createRunStreams(deps: {
  store: Pick<EventStore, 'read'>
  commit: Commit
  documents: Pick<Documents, 'get'>
  clock: Clock
  newId: NewId
}): RunStreams {
  const { store, commit, documents, clock, newId } = deps
  const { category, decider, schemaVersion } = policyRunsAggregate

  const read = async (tenant: string, policyId: number): Promise<{ state: PolicyRuns; revision: number }> => {
    const stored = await documents.get(policyRunsCollection, tenant, policyId)
    const from = stored === undefined ? 0 : stored.source.revision + 1
    const { events } = await store.read(streamName(tenant, category, policyId), { from })
    // The revision of what was folded. That of the stream may be higher already: what is decided on this state must then
    // be refused.
    const revision = events.at(-1)?.revision ?? from - 1
    return { state: fold(policyRunsAggregate, stored?.document ?? noRuns, events), revision }
  }

  const attempt: RunStreams['handle'] = async (tenant, policyId, command, context) => {
    const { state, revision } = await read(tenant, policyId)
    const decided = decider.decide(command, state)
    if (decided.length === 0) return
    const metadata = { ...context, tenant, schemaVersion, occurredAt: isoTime(clock.now()) }
    const events = decided.map(({ type, data }): NewEvent => ({ id: newId(), type, data, metadata }))
    const after = decided.reduce(decider.evolve, state)
    const key = { tenant, id: String(policyId) }
    await commit(
      { stream: streamName(tenant, category, policyId), events, expected: revision === -1 ? 'none' : revision },
      (source) => policyRunsAggregate.documents(after, key, source),
    )
  }

  return {
    load: async (tenant, policyId) => (await read(tenant, policyId)).state,
    handle: async (tenant, policyId, command, context) => {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(tenant, policyId, command, context)
        } catch (error) {
          if (!isAssayError(error, 'conflict') || tries === maxTries) throw error
        }
      }
    },
  }
}

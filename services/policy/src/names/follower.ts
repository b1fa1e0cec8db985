import { createProcessor, eventOf, type Processor, type ProcessorDeps, parseStreamName } from '@assay/event-store'
import { policyAggregate } from '../policy/aggregate.ts'
import { evolve, type Policy, type PolicyEvent } from '../policy/policy.ts'
import type { PolicyNames } from './names.ts'

/** The names that a policy has had, and its current one: none while it is archived. Pure. */
export function namesOf(events: readonly PolicyEvent[]): { policyId: number; current: string | null; past: string[] } {
  const had = new Set<string>()
  let state: Policy = policyAggregate.decider.initialState
  for (const event of events) {
    state = evolve(state, event)
    if (state.status !== 'absent') had.add(state.definition.name)
  }
  const current = state.status === 'active' ? state.definition.name : null
  return {
    policyId: state.status === 'absent' ? 0 : state.policyId,
    current,
    past: [...had].filter((name) => name !== current),
  }
}

/**
 * Updates reservations from the log, because a writer may have died before it confirmed or released a name. It reads
 * the current policies, so late and repeated events do no harm.
 */
export function createNamesFollower(deps: ProcessorDeps & { names: PolicyNames }): Processor {
  const { store, names, makeProcessor = createProcessor, ...rest } = deps
  return makeProcessor({
    ...rest,
    name: 'policy-names',
    store,
    categories: [policyAggregate.category],
    async handle(events) {
      for (const stream of new Set(events.map((event) => event.stream))) {
        const tenant = parseStreamName(stream)?.tenant
        if (tenant === undefined) continue
        const { events: recorded } = await store.read(stream)
        const { policyId, current, past } = namesOf(recorded.map((event) => eventOf(policyAggregate, event)))
        for (const name of past) await names.release(tenant, name, policyId)
        if (current !== null) await names.confirm(tenant, current, policyId)
      }
    },
  })
}

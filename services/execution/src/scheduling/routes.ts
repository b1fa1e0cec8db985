import { executionOperations, nextRuns } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import type { Policies } from '../copies/find-policy.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'

const shownRuns = 5

/** The upcoming and skipped runs of a policy's schedule. */
export function schedulingRoutes(deps: { documents: Documents; policies: Policies; clock: Clock }): Route[] {
  const { documents, policies, clock } = deps
  return [
    route(executionOperations.getPolicySchedule, async (call) => {
      const { rule } = (await policies.byId(call.params.id, call)).policy
      const stored = await documents.get(policyRunsCollection, call.identity.tenant, rule.id)
      const isActive = rule.scheduled && rule.enabled && !rule.archived && rule.schedule !== null
      const times = isActive && rule.schedule ? nextRuns(rule.schedule, rule.timeZone, clock.now(), shownRuns) : []
      return {
        body: {
          scheduled: rule.scheduled,
          cronExpression: rule.schedule,
          timeZone: rule.timeZone,
          executionType: rule.scheduleExecutionType,
          nextRuns: times.map(isoTime),
          skipped: stored?.document.skipped ?? [],
        },
      }
    }),
  ]
}

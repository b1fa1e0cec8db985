import { executionKinds, type PolicyType, policyTypes, type SeriesPoint } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { policyRequest } from '../calls.ts'
import { assertType, type Policies } from '../copies/find-policy.ts'
import { executions } from '../execution/execution.documents.ts'
import type { ShownExecution, ShownRuns } from '../reading/masked-outcomes.ts'
import { findExecution } from '../reading/routes.ts'
import { createGiveFeedback } from './give-feedback.ts'
import { readMarks } from './read-marks.ts'
import { shownPoint } from './shown-point.ts'

/** What was measured over time, and feedback on it. */
export function seriesRoutes(deps: {
  documents: Documents
  commands: CommandHandler
  policies: Policies
  shownRuns: ShownRuns
}): Route[] {
  const { documents, policies, shownRuns } = deps
  const giveFeedback = createGiveFeedback(deps)

  const ofKind = (type: PolicyType): Route[] => [
    route(executionKinds[type].series, async (call) => {
      const { tenant } = call.identity
      const { runs: size, from, to, itemId } = call.query
      const copy = await policies.byId(call.params.id, policyRequest(call))
      assertType(copy, type)
      const policyId = copy.policy.rule.id
      const { documents: page, count } = await documents.find(executions, tenant, {
        where: [
          { field: 'policyId', is: policyId },
          ...(from === undefined ? [] : [{ field: 'startedAt', from }]),
          ...(to === undefined ? [] : [{ field: 'startedAt', to }]),
        ],
        sort: [{ field: 'startedAt', direction: 'desc' }],
        size,
      })
      const runs = await shownRuns.all(call, page)
      const points = await shownPoints(documents, tenant, policyId, runs)
      const asked = itemId === undefined ? points : points.filter(({ ruleItemId }) => ruleItemId === itemId)
      const oldest = page.at(-1)?.run.startedAt
      const next = oldest === undefined || count === page.length ? null : isoTime(Date.parse(oldest) - 1)
      return { body: { points: asked, next } }
    }),
    route(executionKinds[type].feedback, async (call) => {
      const { document } = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const shown = await shownRuns.one(call, document)
      const { points, position } = await giveFeedback(call.identity.tenant, shown, call.body, commandContext(call))
      return { body: { points }, position }
    }),
  ]
  return policyTypes.flatMap(ofKind)
}

/** The points of runs of one policy, with the feedback on them. */
async function shownPoints(
  documents: Documents,
  tenant: string,
  policyId: number,
  runs: readonly ShownExecution[],
): Promise<SeriesPoint[]> {
  const times = runs.map(({ run }) => Date.parse(run.startedAt))
  if (times.length === 0) return []
  const markOf = await readMarks(documents, { tenant, policyId, from: Math.min(...times), to: Math.max(...times) })
  return runs.flatMap((state) => {
    if (state.status !== 'succeeded') return []
    return (state.result.judged ?? []).map((point) =>
      shownPoint(state.run, point, markOf(state.run.executionId, point.key)),
    )
  })
}

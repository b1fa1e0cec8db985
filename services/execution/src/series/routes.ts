import { executionKinds, type PolicyType, policyTypes, type SeriesPoint } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { assertType, type Policies } from '../copies/find-policy.ts'
import { executions } from '../execution/execution.documents.ts'
import { runsOfPolicy } from '../execution/read-runs.ts'
import type { ShownExecution, ShownRuns } from '../reading/masked-outcomes.ts'
import { findExecution } from '../reading/routes.ts'
import { createGiveFeedback } from './give-feedback.ts'
import { readMarks } from './read-marks.ts'
import { shownPoint } from './shown-point.ts'

/** An answer ends with the run that reaches this many points, because wide tables have thousands of points per run. */
const enoughPoints = 10_000

/** Reads measured values over time, and stores feedback on them. */
export function seriesRoutes(deps: {
  documents: Documents
  commands: CommandHandler
  policies: Policies
  shownRuns: ShownRuns
}): Route[] {
  const { documents, policies, shownRuns } = deps
  const giveFeedback = createGiveFeedback(deps)

  /** The latest time at which an earlier run may have started; `undefined` if there is none. */
  async function lastBefore(
    tenant: string,
    policyId: number,
    { from = 0, before }: { from?: number | undefined; before: number },
  ) {
    const to = before - 1
    const where = [
      { field: 'policyId', is: policyId },
      { field: 'startedAt', from, to },
    ]
    const { count } = await documents.find(executions, tenant, { where, size: 0 })
    return count === 0 ? undefined : to
  }

  const ofKind = (type: PolicyType): Route[] => [
    route(executionKinds[type].series, async (call) => {
      const { tenant } = call.identity
      const { runs: size, from, to, itemId } = call.query
      const copy = await policies.byId(call.params.id, call)
      assertType(copy, type)
      const policyId = copy.policy.rule.id
      const points: SeriesPoint[] = []
      let oldest: number | undefined
      for await (const part of runsOfPolicy(documents, tenant, { policyId, from, to, most: size })) {
        const runs = await shownRuns.all(call, part)
        const ofRuns = await shownPoints(documents, tenant, policyId, runs)
        const isAsked = ({ ruleItemId }: SeriesPoint) => itemId === undefined || ruleItemId === itemId
        for (const { run } of runs) {
          if (points.length >= enoughPoints) break
          points.push(...ofRuns.filter((point) => point.executionId === run.executionId && isAsked(point)))
          oldest = Date.parse(run.startedAt)
        }
        if (points.length >= enoughPoints) break
      }
      const next = oldest === undefined ? undefined : await lastBefore(tenant, policyId, { from, before: oldest })
      return { body: { points, next: next === undefined ? null : isoTime(next) } }
    }),
    route(executionKinds[type].feedback, async (call) => {
      const { document } = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const shown = await shownRuns.one(call, document)
      const points = await giveFeedback(call.identity.tenant, shown, call.body, commandContext(call))
      return { body: { points } }
    }),
  ]
  return policyTypes.flatMap(ofKind)
}

/** The start of a run, and the ends of the periods that it judged. */
function timesOf(state: ShownExecution): number[] {
  const judged = state.status === 'succeeded' ? (state.result.judged ?? []) : []
  return [Date.parse(state.run.startedAt), ...judged.flatMap(({ periodEnd }) => periodEnd ?? [])]
}

/** The points of runs of one policy, with the feedback on them. */
async function shownPoints(
  documents: Documents,
  tenant: string,
  policyId: number,
  runs: readonly ShownExecution[],
): Promise<SeriesPoint[]> {
  const times = runs.flatMap(timesOf)
  if (times.length === 0) return []
  const markOf = await readMarks(documents, { tenant, policyId, from: Math.min(...times), to: Math.max(...times) })
  return runs.flatMap((state) => {
    if (state.status !== 'succeeded') return []
    const { executionId } = state.run
    return (state.result.judged ?? []).map((point) => {
      const { key, periodEnd } = point
      return shownPoint(state.run, point, markOf(periodEnd === undefined ? { executionId } : { periodEnd }, key))
    })
  })
}

import { executionKinds, type PolicyType, policyTypes } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { kindOf, type PastRun, type WhatIf, whatIf } from '@assay/reliability'
import { type Caller, type Clock, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { policyRequest } from '../calls.ts'
import { settingsOf } from '../copies/asset-settings.ts'
import { assertType, type Policies } from '../copies/find-policy.ts'
import { executions } from '../execution/execution.documents.ts'
import { tableIdsOf } from '../policy-runs/followed-policy.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { inSlices } from '../running/in-slices.ts'
import { readMarks } from '../series/read-marks.ts'
import { shownPoint } from '../series/shown-point.ts'
import { changedPolicy } from './changed-policy.ts'

const dayMs = 86_400_000
/** Unless the request says since when. */
const usualMs = 2 * 366 * dayMs
/** The thresholds of the first runs look back at those before. */
const historyMs = 100 * dayMs
const maxRuns = 1_000
const runsAtOnce = 50
/** Maximum number of points in an answer. */
const maxPoints = 10_000

/** Which alarms other thresholds would have given. Nothing is stored. */
export function whatIfRoutes(deps: {
  documents: Documents
  policies: Policies
  shownRuns: ShownRuns
  clock: Clock
}): Route[] {
  const { documents, policies, shownRuns, clock } = deps

  /** The runs with results, as the caller may see them, ascending by time: at most the newest thousand. */
  async function pastRuns(call: Caller, policyId: number, { from, to }: { from: number; to: number }) {
    const runs: PastRun[] = []
    for (let page = 0; page * runsAtOnce < maxRuns; page += 1) {
      const found = await documents.find(executions, call.identity.tenant, {
        where: [
          { field: 'policyId', is: policyId },
          { field: 'startedAt', from, to },
        ],
        sort: [{ field: 'startedAt', direction: 'desc' }],
        page,
        size: runsAtOnce,
      })
      for (const state of await shownRuns.all(call, found.documents)) {
        if (state.status !== 'succeeded' || state.result.judged === undefined) continue
        const { executionId, startedAt } = state.run
        const { outcomes, judged } = state.result
        runs.push({ executionId, startedAt, outcomes, judged })
      }
      if (found.documents.length < runsAtOnce) break
    }
    return runs.reverse()
  }

  const ofKind = (type: PolicyType): Route =>
    route(executionKinds[type].whatIf, async (call) => {
      const { tenant } = call.identity
      const copy = await policies.byId(call.params.id, policyRequest(call))
      assertType(copy, type)
      const kind = kindOf(type)
      if (kind === null)
        throw new AssayError('not-implemented', `Policies of type ${type} cannot be run by this version of Assay.`)
      const changed = changedPolicy(copy.policy, call.body)
      const { rule } = changed
      const policy = kind.open(kind.keep(changed, await settingsOf(documents, tenant, tableIdsOf(changed)[0] ?? 0)))(
        rule.version,
      )
      const to = call.body.to ?? clock.now()
      const from = call.body.from ?? to - usualMs
      const runs = await pastRuns(call, rule.id, { from: from - historyMs, to })
      const markOf = await readMarks(documents, { tenant, policyId: rule.id, from: from - historyMs, to })
      return { body: answerOf(await inSlices(whatIf(policy, runs, { from, markOf }), call.signal)) }
    })
  return policyTypes.map(ofKind)
}

/** The newest points first. */
function answerOf({ runs, expectedFalseAlarmsPerMonth }: WhatIf) {
  const points = runs.reverse().flatMap(({ run, points }) => points.map((point) => ({ run, point })))
  return {
    points: points.slice(0, maxPoints).map(({ run, point }) => shownPoint(run, point)),
    firedCount: points.filter(({ point }) => point.fired).length,
    expectedFalseAlarmsPerMonth,
  }
}

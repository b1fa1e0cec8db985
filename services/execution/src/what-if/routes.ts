import { asSentence, executionKinds, type PolicyType, policyTypes } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { kindOf, type WhatIf, whatIf } from '@assay/reliability'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { settingsOf } from '../copies/asset-settings.ts'
import { assertType, type Policies } from '../copies/find-policy.ts'
import { executionTables } from '../copies/tables.ts'
import { tableIdsOf } from '../policy-runs/followed-policy.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { inSlices } from '../running/in-slices.ts'
import { readMarks } from '../series/read-marks.ts'
import { seasonZone } from '../series/season-zone.ts'
import { shownPoint } from '../series/shown-point.ts'
import { changedPolicy } from './changed-policy.ts'
import { readPastRuns } from './past-runs.ts'

/** How far back an answer reaches by default, in milliseconds. */
const usualMs = 2 * 366 * 86_400_000
/** Maximum number of points in an answer. */
const maxPoints = 10_000

/** Computes the alarms that other thresholds would have raised. Stores nothing. */
export function whatIfRoutes(deps: {
  documents: Documents
  policies: Policies
  shownRuns: ShownRuns
  clock: Clock
}): Route[] {
  const { documents, policies, clock } = deps

  const ofKind = (type: PolicyType): Route =>
    route(executionKinds[type].whatIf, async (call) => {
      const { tenant } = call.identity
      const copy = await policies.byId(call.params.id, call)
      assertType(copy, type)
      const kind = kindOf(type)
      const to = call.body.to ?? clock.now()
      const from = call.body.from ?? to - usualMs
      if (from > to) throw new AssayError('invalid', 'from: must not be after to. Swap them, or omit one.')
      const [tableId = 0] = tableIdsOf(copy.policy)
      const columns = (await documents.get(executionTables, tenant, tableId))?.document.table.columns ?? []
      const changed = changedPolicy(copy.policy, call.body)
      const problem = kind.whatIfProblem?.(changed, call.body, columns)
      if (problem !== undefined) throw new AssayError('invalid', asSentence(`${problem.path}: ${problem.message}`))
      const { rule } = changed
      const settings = await settingsOf(documents, tenant, tableId)
      const policy = kind.open(kind.keep(changed, settings))(rule.version)
      const runs = await readPastRuns(deps, call, { policyId: rule.id, from, to })
      const markOf = await readMarks(documents, { tenant, policyId: rule.id, from: runs.oldest, to })
      const { earlier, judged } = runs
      const timeZone = seasonZone(settings.timeZone, rule)
      const found = await inSlices(whatIf(policy, judged, { earlier, markOf, timeZone }), call.signal)
      const next = runs.hasMore && runs.since !== null ? isoTime(runs.since - 1) : null
      return { body: { ...answerOf(found), runs: judged.length, next } }
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

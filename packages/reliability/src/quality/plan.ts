import type { Metric } from '@assay/data-engine'
import type { PeriodsRequest, RunGiven, SideRequest } from '../kinds/judging.ts'
import type { TagResult } from '../measurements/measurement.ts'
import { requestOf } from '../periods/request.ts'
import { planItem } from '../plan-item.ts'
import { boundVariables } from '../references.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { itemPeriods } from './periods.ts'

/** One request, and so one scan, for all items of a run. Pure. */
export function planQuality(policy: QualityPolicy, run: RunGiven): SideRequest {
  const [{ columns, references }] = run.sides
  const metrics: Metric[] = []
  const known: TagResult[] = []
  const problems = new Map<number, string>()
  for (const item of runItems(policy, run.itemSelection)) {
    const planned = planItem(item, columns, references)
    if ('metric' in planned) metrics.push(planned.metric)
    else if ('known' in planned) known.push(planned.known)
    else if ('problem' in planned) problems.set(item.id, `${planned.problem.path}: ${planned.problem.message}`)
  }
  const { filter: sql } = policy.sides[0]
  const filter =
    sql === null || sql.trim() === '' ? undefined : { sql, variables: boundVariables(references.variables) }
  return { kind: 'MEASURE', side: 'ONE', metrics, known, problems, ...(filter ? { filter } : {}) }
}

/** A second request for the items that are measured by period; empty if there are none. Pure. */
export function planPeriods(policy: QualityPolicy, run: RunGiven): PeriodsRequest[] {
  const measured = itemPeriods(policy, run)
  if (measured === undefined || measured.items.length === 0) return []
  const metrics = measured.items.map(({ metric }) => metric)
  return [requestOf(measured.periods, { filter: policy.sides[0].filter, metrics }, run)]
}

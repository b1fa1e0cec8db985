import type { Metric } from '@assay/data-engine'
import type { RunGiven, SideRequest } from '../kinds/judging.ts'
import type { TagResult } from '../measurements/measurement.ts'
import { planItem } from '../plan-item.ts'
import { boundVariables } from '../references.ts'
import { type QualityPolicy, runItems } from './definition.ts'

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

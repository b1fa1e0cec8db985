import type { MetricResult } from '@assay/data-engine'
import type { Found, RunGiven } from '../kinds/judging.ts'
import type { ComparisonPolicy, RunItem } from './definition.ts'
import type { MeasuredSides, Side } from './measures/measure.ts'
import { pairingOf } from './pairs.ts'
import { type SidePlan, sidePlan } from './plan.ts'

/** The answers of a run, by item. */
export interface MeasuredRun {
  rows: Record<Side, number>
  compared: MeasuredSides['compared']
  of(item: RunItem): MeasuredSides
  /** Why an item can never be evaluated. */
  problemOf(item: RunItem): string | undefined
}

/** Groups the answers of a run by item. Pure. */
export function measuredRun(policy: ComparisonPolicy, run: RunGiven, all: readonly Found[]): MeasuredRun {
  const compared = all.flatMap((one) => (one.kind === 'COMPARE' ? [one.compared] : []))[0] ?? null
  const [left, right] = [answersOf(policy, run, all, 'left'), answersOf(policy, run, all, 'right')]
  const rows = {
    left: compared?.left.rows ?? left.rows ?? 0,
    right: compared?.right.rows ?? right.rows ?? 0,
  }
  const columns = { left: run.sides[0].columns, right: run.sides[1]?.columns ?? [] }
  const pairing = pairingOf(policy, run)
  const lacking = 'lacking' in pairing ? pairing.lacking : null
  return {
    rows,
    compared,
    of: ({ id }) => ({
      ...{ policy, rows, columns, compared, lacking },
      result: (side, role) => (side === 'left' ? left : right).result(id, role),
    }),
    problemOf: ({ id }) => left.plan.problems.get(id) ?? right.plan.problems.get(id),
  }
}

interface SideAnswers {
  plan: SidePlan
  /** Absent if no metric was measured. */
  rows: number | undefined
  result(itemId: number, role: string): MetricResult | undefined
}

function answersOf(policy: ComparisonPolicy, run: RunGiven, all: readonly Found[], side: Side): SideAnswers {
  const plan = sidePlan(policy, run, side)
  const name = side === 'left' ? 'LEFT' : 'RIGHT'
  const found = all.flatMap((one) => (one.kind === 'MEASURE' && one.side === name ? [one] : []))
  const results = new Map<number, MetricResult>()
  for (const { results: each, problems } of found) {
    for (const result of each) if (result.kind !== 'tag') results.set(result.id, result)
    for (const [id, message] of problems) results.set(id, { id, kind: 'error', message })
  }
  const ids = new Map(plan.metrics.map(({ id, itemId, role }) => [`${itemId} ${role}`, id]))
  return {
    plan,
    rows: found[0]?.rowsScanned,
    result: (itemId, role) => results.get(ids.get(`${itemId} ${role}`) ?? -1),
  }
}

import type { Metric, SqlText } from '@assay/data-engine'
import type { Found, RunGiven, RunRequest, SideRequest } from '../kinds/judging.ts'
import { boundVariables } from '../references.ts'
import { type ComparisonPolicy, itemsOf, type RunItem, runItems } from './definition.ts'
import type { Side } from './measures/measure.ts'
import { measures } from './measures/table.ts'
import { pairingOf } from './pairs.ts'

/** Maximum number of metrics per request. */
const maxMetrics = 1000

/** A metric of a run, and the item that asks for it. */
interface PlannedMetric {
  id: number
  itemId: number
  role: string
  metric: Metric
}

/** The metrics of a run on one side, and the items that can never be evaluated. */
export interface SidePlan {
  metrics: readonly PlannedMetric[]
  problems: ReadonlyMap<number, string>
}

/**
 * The metrics that a run measures on one side. If an item has only one metric, the metric gets the item's id, because
 * the engine reports by metric id what SQL reads. Pure.
 */
export function sidePlan(policy: ComparisonPolicy, run: RunGiven, side: Side): SidePlan {
  const columns = run.sides[side === 'left' ? 0 : 1]?.columns ?? []
  let next = itemsOf(policy).reduce((highest, { id }) => Math.max(highest, id), 0)
  const metrics: PlannedMetric[] = []
  const problems = new Map<number, string>()
  for (const item of runItems(policy, run.itemSelection)) {
    const asked = measures[item.measurementType].asks(item, policy, side, columns)
    if ('problem' in asked) {
      problems.set(item.id, asked.problem)
      continue
    }
    for (const { role, metric } of asked) {
      if (asked.length > 1) next += 1
      const id = asked.length > 1 ? next : item.id
      metrics.push({ id, itemId: item.id, role, metric: metric(id) })
    }
  }
  return { metrics, problems }
}

/** What an item compares: rows that are stored, or only whether rows are equal. */
const comparesOf = ({ measurementType }: RunItem) => measures[measurementType].compares

/** The requests of a run: the metrics of each side, and one comparison if any item compares rows. Pure. */
export function requestsOf(policy: ComparisonPolicy, run: RunGiven, found: readonly Found[]): readonly RunRequest[] {
  if (found.length > 0) return []
  const items = runItems(policy, run.itemSelection)
  const pairing = pairingOf(policy, run)
  const isCompared = items.some((item) => comparesOf(item) !== null) && 'pairs' in pairing
  const comparison: RunRequest[] = isCompared
    ? [
        {
          ...{ kind: 'COMPARE', columns: pairing.pairs },
          ...(policy.mappings.length === 0 ? { whole: true } : {}),
          rowsOf: items.flatMap((item) => (comparesOf(item) === 'ROWS' ? [item.id] : [])),
          ...filterOf('leftFilter', policy.left.filter, run, 0),
          ...filterOf('rightFilter', policy.right.filter, run, 1),
        },
      ]
    : []
  return [...comparison, ...measured(policy, run, 'left', isCompared), ...measured(policy, run, 'right', isCompared)]
}

function filterOf<Name extends string>(name: Name, sql: string | null, { sides }: RunGiven, index: 0 | 1) {
  const none: { [key in Name]?: SqlText } = {}
  if (sql === null) return none
  return { ...none, [name]: { sql, variables: boundVariables(sides[index]?.references.variables ?? {}) } }
}

/** The metrics of a side. If there are none, the rows of the side are counted, unless a comparison counts them. */
function measured(policy: ComparisonPolicy, run: RunGiven, side: Side, isCompared: boolean): SideRequest[] {
  const { metrics: planned, problems } = sidePlan(policy, run, side)
  if (planned.length === 0 && isCompared) return []
  const index = side === 'left' ? 0 : 1
  const references = run.sides[index]?.references
  const metrics = planned.map(({ metric }): Metric => {
    if (metric.kind !== 'select' || references === undefined) return metric
    const { sql } = metric.select
    const tables = references.tables(sql)
    const select = { sql, variables: boundVariables(references.variables) }
    return { ...metric, select, ...(tables.length === 0 ? {} : { tables }) }
  })
  const chunks = Array.from({ length: Math.max(1, Math.ceil(metrics.length / maxMetrics)) }, (_, nth) =>
    metrics.slice(nth * maxMetrics, (nth + 1) * maxMetrics),
  )
  const filter = filterOf('filter', policy[side].filter, run, index)
  const frame = { kind: 'MEASURE' as const, side: side === 'left' ? ('LEFT' as const) : ('RIGHT' as const) }
  return chunks.map((chunk) => ({ ...frame, metrics: chunk, known: [], problems, ...filter }))
}

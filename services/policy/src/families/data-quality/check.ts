import type { ItemRecord } from '@assay/contracts'
import type { Metric } from '@assay/data-engine'
import { planItem } from '@assay/reliability'
import { checkBackfill } from '../../definition/backfill.ts'
import { type CheckContext, checkMarker, firstLine, sqlText } from '../../definition/check-side.ts'
import { refusal } from '../../definition/refusal.ts'
import type { Sides } from '../../definition/targets.ts'
import type { DefinitionFrame } from '../../policy/definition.ts'
import type { Quality } from './family.ts'
import { itemRecord } from './item.ts'

/** A part for the engine to prepare, with the request field that it comes from. */
interface Probe {
  path: string
  metric: Metric
}

/** The field whose SQL or pattern only the engine can check. */
function pathOfMetric(metric: Metric, at: string): string {
  switch (metric.kind) {
    case 'select':
      return `${at}.value.sql`
    case 'aggregate-expression':
      return `${at}.ruleExpression`
    case 'rows':
      if (metric.predicate.kind === 'regex') return `${at}.value.pattern`
      if (metric.predicate.kind === 'expression') return `${at}.ruleExpression`
      return at
    case 'distinct':
    case 'newest':
    case 'aggregate':
      return metric.column === null ? at : `${at}.columnName`
    default:
      return metric satisfies never
  }
}

/** Whether only the engine can check the metric: it holds SQL, a pattern, a type's name, or requires numbers. */
function needsEngine(metric: Metric): boolean {
  if (metric.kind === 'select' || metric.kind === 'aggregate-expression') return true
  if (metric.kind === 'aggregate') return metric.fn === 'SUM' || metric.fn === 'AVG'
  return metric.kind === 'rows' && ['regex', 'expression', 'datatype'].includes(metric.predicate.kind)
}

/** Splits the metric from its filter, so that an error names the right field. */
function probesOf(metric: Metric, at: string): Probe[] {
  if (metric.kind === 'select' || metric.filter === undefined) return [{ path: pathOfMetric(metric, at), metric }]
  const { filter, ...bare } = metric
  const predicate = { kind: 'expression' as const, expression: filter }
  return [
    { path: pathOfMetric(metric, at), metric: bare },
    { path: `${at}.filter`, metric: { kind: 'rows', id: metric.id, predicate } },
  ]
}

/** Refuses items that can never be evaluated. One request to the engine checks them and the filter. */
export async function checkQuality(
  definition: Quality & DefinitionFrame,
  { main: table }: Sides,
  context: CheckContext,
): Promise<void> {
  if (table === undefined) return
  checkMarker(definition.target, table, 'rule.backingAsset')
  checkBackfill(definition.backfill, table)
  const open: ItemRecord[] = []
  const probes = definition.items.flatMap((item, index) => {
    const at = `items[${index}]`
    const planned = planItem(itemRecord(item), table.columns)
    if ('problem' in planned) throw refusal(`${at}.${planned.problem.path}`, planned.problem.message)
    if ('open' in planned) open.push({ ...itemRecord(item), id: index + 1 })
    if (!('metric' in planned)) return []
    return probesOf(planned.metric, at).filter((probe) => needsEngine(probe.metric))
  })
  if (probes.length === 0 && open.length === 0 && definition.filter === null) return
  const prepared = await context.prepare({
    tenant: context.tenant,
    assetId: table.assetId,
    locator: table.locator,
    ...(definition.filter === null ? {} : { filter: sqlText(definition.filter) }),
    // Two probes of one item would share its id.
    metrics: probes.map(({ metric }, index) => ({ ...metric, id: index + 1 })),
    ...(open.length === 0 ? {} : { items: open }),
  })
  if (prepared === 'unreachable') return
  if (prepared.filterError !== null) throw refusal('rule.filter', firstLine(prepared.filterError))
  const [problem] = prepared.itemProblems ?? []
  if (problem !== undefined) throw refusal(`items[${problem.id - 1}].${problem.path}`, firstLine(problem.message))
  const [first] = [...prepared.metricErrors].sort((a, b) => a.id - b.id)
  const probe = first === undefined ? undefined : probes[first.id - 1]
  if (first !== undefined && probe !== undefined) throw refusal(probe.path, firstLine(first.message))
}

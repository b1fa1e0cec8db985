import type { ItemRecord, TableMessage } from '@assay/contracts'
import type { Metric, SqlText } from '@assay/data-engine'
import type { Prepare } from '@assay/hosting/ports'
import { planItem, storedMarkerProblem } from '@assay/reliability'
import type { Definition, ItemDefinition, QualityDefinition, Target } from '../policy/definition.ts'
import { checkAnomaly } from './families/anomaly.ts'
import { checkArrival } from './families/arrival.ts'
import { checkDataDrift } from './families/data-drift.ts'
import { checkReconciliation } from './families/reconciliation.ts'
import { refusal } from './refusal.ts'
import type { Sides } from './targets.ts'

/** A part for the engine to prepare, with the request field that it comes from. */
interface Probe {
  path: string
  metric: Metric
}

const sql = (text: string): SqlText => ({ sql: text, variables: {} })

export const record = (item: ItemDefinition): ItemRecord => ({
  ...item,
  ruleId: 1,
  ruleVersion: 1,
  isArchived: false,
  executionInputs: null,
  associatedDQRecommendationId: null,
  bulkPolicyDqRuleId: null,
})

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

interface Context {
  tenant: string
  prepare: Prepare
}

/**
 * Refuses definitions that can never work: first by the tables' columns, then by the engine's check of regular
 * expressions, expressions, filters and SQL. An unreachable source or an unknown table is no reason to refuse. Error:
 * `invalid` naming the field.
 */
export async function checkDefinition(definition: Definition, sides: Sides, context: Context): Promise<void> {
  const { main, right } = sides
  if ('rightTarget' in definition) {
    checkReconciliation(definition, sides)
    checkMarker(definition.target, main, 'rule.leftBackingAsset')
    checkMarker(definition.rightTarget, right, 'rule.rightBackingAsset')
    await checkFilter(definition.filter, main, 'rule.leftFilter', context)
    await checkFilter(definition.rightFilter, right, 'rule.rightFilter', context)
    return
  }
  if (main === undefined) return
  checkMarker(definition.target, main, 'rule.backingAsset')
  switch (definition.type) {
    case 'DATA_QUALITY':
      return checkQuality(definition, main, context)
    case 'DATA_DRIFT':
      checkDataDrift(definition, main)
      break
    case 'PROFILE_ANOMALY':
    case 'AUTO_ANOMALY':
      checkAnomaly(definition, main)
      break
    case 'DATA_CADENCE':
    case 'DATA_FRESHNESS':
      checkArrival(definition, main)
      break
    case 'SCHEMA_DRIFT':
      break
    default:
      definition satisfies never
  }
  await checkFilter(definition.filter, main, 'rule.filter', context)
}

async function checkFilter(
  filter: string | null,
  table: TableMessage | undefined,
  path: string,
  { tenant, prepare }: Context,
): Promise<void> {
  if (filter === null || table === undefined) return
  const prepared = await prepare({
    tenant,
    assetId: table.assetId,
    locator: table.locator,
    filter: sql(filter),
    metrics: [],
  })
  if (prepared !== 'unreachable' && prepared.filterError !== null) throw refusal(path, firstLine(prepared.filterError))
}

async function checkQuality(definition: QualityDefinition, table: TableMessage, context: Context): Promise<void> {
  const open: ItemRecord[] = []
  const probes = definition.items.flatMap((item, index) => {
    const at = `items[${index}]`
    const planned = planItem(record(item), table.columns)
    if ('problem' in planned) throw refusal(`${at}.${planned.problem.path}`, planned.problem.message)
    if ('open' in planned) open.push({ ...record(item), id: index + 1 })
    if (!('metric' in planned)) return []
    return probesOf(planned.metric, at).filter((probe) => needsEngine(probe.metric))
  })
  if (probes.length === 0 && open.length === 0 && definition.filter === null) return
  const prepared = await context.prepare({
    tenant: context.tenant,
    assetId: table.assetId,
    locator: table.locator,
    ...(definition.filter === null ? {} : { filter: sql(definition.filter) }),
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

/** Engines append lists of alternatives; the first line names the fault. */
function firstLine(message: string): string {
  return message.split('\n', 1).join('')
}

/** A stored marker that reads a column must fit it. Unusable kinds of markers pass here: a run with them is refused. */
function checkMarker({ marker }: Target, table: TableMessage | undefined, at: string): void {
  if (table === undefined || marker === null) return
  const problem = storedMarkerProblem(marker, { columns: table.columns, isFiles: true })
  if (problem !== undefined) throw refusal(`${at}.marker.${problem.path}`, problem.message)
}

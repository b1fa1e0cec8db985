import type { DatasetLocator, Source } from '../dataset.ts'
import type { MeasurePlan, Metric, MetricResult, Predicate, SqlText } from '../plan.ts'
import type { DataEngine, EngineCall, Measured } from '../port.ts'

/** Users' SQL. */
export function written(sql: string, variables: SqlText['variables'] = {}): SqlText {
  return { sql, variables }
}

export function rows(id: number, predicate: Predicate, filter?: string): Metric {
  return filter === undefined
    ? { kind: 'rows', id, predicate }
    : { kind: 'rows', id, predicate, filter: written(filter) }
}

export function expression(id: number, sql: string, variables: SqlText['variables'] = {}): Metric {
  return rows(id, { kind: 'expression', expression: written(sql, variables) })
}

/** A plan that stores no rows, with the changes of `more`. */
export function planFor(dataset: DatasetLocator, metrics: Metric[], more: Partial<MeasurePlan> = {}): MeasurePlan {
  return {
    dataset,
    metrics,
    rows: { bad: null, good: null, preview: 100 },
    ...more,
  }
}

/** The only table of a source. */
export async function onlyTable(
  engine: DataEngine,
  source: Source,
  call: EngineCall = { signal: new AbortController().signal },
): Promise<DatasetLocator> {
  for await (const found of engine.discover(source, call)) {
    if (found.kind === 'table') return found.locator
    if (found.kind === 'failed') throw new Error(found.message)
  }
  throw new Error('The source holds no table.')
}

export function resultOf(measured: Measured, id: number): MetricResult | undefined {
  return measured.metrics.find((metric) => metric.id === id)
}

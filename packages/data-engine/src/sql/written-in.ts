import type { Metric, SqlText } from '../plan.ts'
import type { Form } from './tree/guard.ts'

/**
 * Users' SQL, and its form: an expression or a SELECT. `foreign`: it is SQL of another database, which may read only
 * these tables. `any`: another check decides later which it may read.
 */
export interface WrittenText {
  text: SqlText
  form: Form
  foreign?: { tables: readonly string[] | 'any' }
}

/** The users' SQL in a metric. Pure. */
export function writtenIn(metric: Metric): WrittenText[] {
  if (metric.kind === 'select') return [{ text: metric.select, form: 'select' }]
  const texts: SqlText[] = metric.filter === undefined ? [] : [metric.filter]
  if (metric.kind === 'rows' && metric.predicate.kind === 'expression') texts.push(metric.predicate.expression)
  if (metric.kind === 'aggregate-expression') texts.push(metric.expression)
  return texts.map((text) => ({ text, form: 'expression' }))
}

import type { Metric, SqlText } from '../plan.ts'
import type { Form } from './tree/guard.ts'

/** SQL of people and what it has to be. */
export interface WrittenText {
  text: SqlText
  form: Form
}

/** What people wrote in a metric. Pure. */
export function writtenIn(metric: Metric): WrittenText[] {
  if (metric.kind === 'select') return [{ text: metric.select, form: 'select' }]
  const texts: SqlText[] = metric.filter === undefined ? [] : [metric.filter]
  if (metric.kind === 'rows' && metric.predicate.kind === 'expression') texts.push(metric.predicate.expression)
  if (metric.kind === 'aggregate-expression') texts.push(metric.expression)
  return texts.map((text) => ({ text, form: 'expression' }))
}

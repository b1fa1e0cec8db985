import { type Metric, parseType } from '@assay/data-engine'
import type { PlannedColumn } from '../definition.ts'

/** Functions whose results can change even if the rows do not. */
const ofTime = /\b(((now|today|age|get_current_\w+|transaction_timestamp)\s*\()|current_\w+|localtime\w*)/i

const dependsOnTime = 'its SQL depends on the current time'

/**
 * Why the result of a metric over all files cannot be computed from its results over parts of them. The text is the end
 * of a sentence; `undefined` if it can be computed. Pure.
 */
export function whyNotMerged(metric: Metric, columns: readonly PlannedColumn[]): string | undefined {
  if (metric.kind === 'select') return 'its SELECT may read all rows together'
  if (metric.filter !== undefined && ofTime.test(metric.filter.sql)) return dependsOnTime
  switch (metric.kind) {
    case 'rows':
      return ofPredicate(metric.predicate)
    case 'distinct':
      return 'values of one file may be in another one'
    case 'aggregate':
      return ofAggregate(metric, columns)
    case 'aggregate-expression':
      if (ofTime.test(metric.expression.sql)) return dependsOnTime
      return metric.fn === 'COUNT' ? undefined : 'the type of its expression is not known before it is read'
    case 'newest':
      return undefined
    default:
      return metric satisfies never
  }
}

function ofPredicate(predicate: Extract<Metric, { kind: 'rows' }>['predicate']): string | undefined {
  switch (predicate.kind) {
    case 'duplicate':
      return 'equal rows may be in different files'
    case 'in-lookup':
      return 'the values that its lookup allows may have changed'
    case 'expression':
      return ofTime.test(predicate.expression.sql) ? dependsOnTime : undefined
    case 'missing':
    case 'regex':
    case 'in-list':
    case 'datatype':
    case 'range':
    case 'text-length':
    case 'precision-scale':
      return undefined
    default:
      return predicate satisfies never
  }
}

function ofAggregate(
  { fn, column }: Pick<Extract<Metric, { kind: 'aggregate' }>, 'fn' | 'column'>,
  columns: readonly PlannedColumn[],
): string | undefined {
  if (fn === 'COUNT') return undefined
  if (fn === 'AVG') return 'an average is rounded when it is measured'
  const dataType = columns.find(({ name }) => name === column)?.dataType
  const kind = dataType === undefined ? undefined : parseType(dataType).kind
  const isExact = kind === 'integer' || kind === 'decimal'
  if (fn === 'SUM') return isExact ? undefined : 'only sums of whole and decimal numbers are the same in every order'
  const isOrdered = isExact || kind === 'float' || kind === 'text' || kind === 'date' || kind === 'timestamp'
  return isOrdered || kind === 'timestamptz' ? undefined : 'values of its type are not compared outside of the engine'
}

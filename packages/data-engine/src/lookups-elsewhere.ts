import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DatasetLocator } from './dataset.ts'
import type { ValuesPlan } from './listed-values.ts'
import { canLookUp } from './locators.ts'
import { type ListedValues, type Lookup, lookupOf, type Metric } from './plan.ts'
import type { MeasureCall } from './port.ts'
import type { LogicalKind } from './types/logical-type.ts'
import { parseType } from './types/parse-type.ts'

/** Reads the different values of a column at its source. */
export type ReadValues = (plan: ValuesPlan, call: MeasureCall) => Promise<ListedValues>

/**
 * The metrics, in which lookups of another source than `dataset` have their values. Each column is read once. If it
 * cannot be read, only the metrics that need it fail.
 */
export async function withListedLookups<M extends Metric>(
  metrics: readonly M[],
  dataset: DatasetLocator,
  read: ReadValues,
  { signal, tenant, key, limits }: MeasureCall,
): Promise<readonly M[]> {
  const call = {
    signal,
    ...(tenant === undefined ? {} : { tenant }),
    ...(key === undefined ? {} : { key }),
    ...(limits === undefined ? {} : { limits }),
  }
  const known = new Map<string, NonNullable<Lookup['elsewhere']>>()
  const listed: M[] = []
  for (const metric of metrics) {
    const lookup = lookupOf(metric)
    if (lookup === undefined || canLookUp(dataset, lookup.dataset)) {
      listed.push(metric)
      continue
    }
    const name = JSON.stringify([lookup.dataset, lookup.column])
    const elsewhere = known.get(name) ?? (await valuesOrProblem(lookup, read, call))
    known.set(name, elsewhere)
    listed.push(withValues(metric, elsewhere))
  }
  return listed
}

/** Kinds of types whose values all sources write as the same text, or as texts that are parsed. */
const comparable: ReadonlySet<LogicalKind> = new Set([
  ...(['text', 'integer', 'decimal', 'float', 'boolean', 'uuid', 'date', 'timestamp', 'timestamptz'] as const),
])

async function valuesOrProblem(lookup: Lookup, read: ReadValues, call: MeasureCall) {
  const { dataset, column } = lookup
  try {
    const listed = await read({ dataset, column }, call)
    if (comparable.has(parseType(listed.dataType).kind)) return listed
    return { problem: `Values of the type ${listed.dataType} cannot be looked up in another source.` }
  } catch (error) {
    if (call.signal.aborted || isAssayError(error, 'timeout') || !isAssayError(error)) throw error
    return { problem: messageOf(error) }
  }
}

function withValues<M extends Metric>(metric: M, elsewhere: NonNullable<Lookup['elsewhere']>): M {
  if (metric.kind !== 'rows' || metric.predicate.kind !== 'in-lookup') return metric
  const { predicate } = metric
  return { ...metric, predicate: { ...predicate, lookup: { ...predicate.lookup, elsewhere } } }
}

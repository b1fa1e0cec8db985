import { type DatasetLocator, isStoreSource, type StoreSource } from '../dataset.ts'
import { knownLocator } from '../locators.ts'
import { lookupOf, type Metric } from '../plan.ts'
import type { Work } from './protocol.ts'

/** The datasets that a metric reads in addition to that of its plan. */
export function datasetsOf(metric: Metric): DatasetLocator[] {
  if (metric.kind === 'select') return (metric.tables ?? []).map(({ dataset }) => dataset)
  const lookup = lookupOf(metric)
  return lookup === undefined || lookup.elsewhere !== undefined ? [] : [lookup.dataset]
}

function datasetsIn(work: Work): DatasetLocator[] {
  switch (work.kind) {
    case 'measure':
    case 'periods':
      return [work.plan.dataset, ...work.plan.metrics.flatMap(datasetsOf)]
    case 'prepare':
      return [work.dataset, ...work.metrics.flatMap(datasetsOf)]
    case 'compare':
      return [work.plan.left.dataset, work.plan.right.dataset]
    case 'describe':
    case 'last-change':
    case 'profile':
    case 'take':
    case 'values':
      return [work.plan.dataset]
    case 'sample':
      return [work.dataset]
    case 'discover':
    case 'probe':
    case 'rewrite':
    case 'touches':
      return []
    default:
      return work satisfies never
  }
}

/** The assemblies of the stores that a dataset is in. */
function assembliesOf(dataset: DatasetLocator): number[] {
  const locator = knownLocator(dataset)
  if (locator?.kind === 'query') return locator.tables.flatMap((table) => assembliesOf(table.dataset))
  const source = locator?.kind === 'files' ? locator.store?.source : undefined
  return source === undefined ? [] : [source]
}

function readsTopic(dataset: DatasetLocator): boolean {
  const locator = knownLocator(dataset)
  if (locator?.kind === 'query') return locator.tables.some((table) => readsTopic(table.dataset))
  return locator?.kind === 'topic'
}

/** Whether a piece of work connects to brokers. Pure. */
export function readsTopics(work: Work): boolean {
  if (work.kind === 'probe' || work.kind === 'discover') return work.source.sourceType === 'KAFKA'
  return datasetsIn(work).some(readsTopic)
}

/** The stores that a piece of work reads: by its source, or by the assemblies of its datasets. Pure. */
export function storesIn(work: Work): { of: StoreSource | number; sourceId?: number | undefined }[] {
  if (work.kind === 'probe' || work.kind === 'discover') {
    if (!isStoreSource(work.source)) return []
    return [{ of: work.source, sourceId: work.kind === 'discover' ? work.sourceId : undefined }]
  }
  return [...new Set(datasetsIn(work).flatMap(assembliesOf))].map((of) => ({ of }))
}

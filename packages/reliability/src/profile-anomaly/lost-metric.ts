import type { RunGiven } from '../kinds/judging.ts'
import { hasMetric } from '../profiles/column-metric.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import type { RunItem } from './definition.ts'
import { columnsOf, isOfTable } from './series.ts'

/**
 * Says that an item names a metric that none of its columns can have any more; `undefined` if there is none. The types
 * are those that the run has read, or else those that the catalog knows. Pure.
 */
export function lostMetric(item: RunItem, run: RunGiven, { columns }: ProfileState): string | undefined {
  const types = new Map([...run.sides[0].columns, ...columns].map(({ name, dataType }) => [name, dataType]))
  const watched = columnsOf(item, run).map((name) => types.get(name))
  const lost = item.own?.metrics?.find(
    (metric) =>
      !isOfTable(metric) && watched.every((dataType) => dataType !== undefined && !hasMetric(dataType, metric)),
  )
  if (lost === undefined) return undefined
  const [name, ...others] = item.columns ?? []
  const isOne = name !== undefined && others.length === 0
  const holder = isOne ? `The column '${name}' holds no` : 'None of the columns that the item watches holds'
  return `${holder} ${lost === 'LENGTH' ? 'text' : 'numbers'} any more, so there is no ${lost}. Change the metrics of the item.`
}

import type { RunGiven } from '../kinds/judging.ts'
import { hasMetric } from '../profiles/column-metric.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import type { AnomalyPolicy, RunItem } from './definition.ts'
import { columnsOf, isOfTable } from './series.ts'

/** What a run knows of an item. */
interface Evaluated {
  item: RunItem
  run: RunGiven
  state: ProfileState
  /** The newest period. `problem`: why one of the figures could not be measured in it. */
  newest?: { rows: number; problem: string | null }
}

/**
 * Why an item could not be evaluated: its columns no longer exist or no longer have a metric that it names, or nothing
 * that it watches has a value. `tested`: the number of values of the run, or of the newest period. Pure.
 */
export function problemOf(
  { treatZeroRowsAsSuccess }: AnomalyPolicy,
  { item, run, state, newest }: Evaluated,
  tested: number,
): string | null {
  const gone = item.columns?.find((name) => !state.columns.some((column) => column.name === name))
  if (gone !== undefined) return `The asset no longer has the column '${gone}'.`
  const lost = state.rows === 0 ? undefined : lostMetric(item, run, state)
  if (lost !== undefined) return lost
  if (tested > 0 || run.executionType === 'SELECTIVE') return null
  if (newest?.problem != null) return newest.problem
  if (state.rows === 0 || newest?.rows === 0) return treatZeroRowsAsSuccess ? null : 'There are no rows.'
  const failed = state.columns.find(({ name, error }) => error !== null && columnsOf(item, run).includes(name))
  return failed?.error ?? null
}

/**
 * Says that an item names a metric that none of its columns can have any more; `undefined` if there is none. The types
 * are those that the run has read, or else those that the catalog knows.
 */
function lostMetric(item: RunItem, run: RunGiven, { columns }: ProfileState): string | undefined {
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

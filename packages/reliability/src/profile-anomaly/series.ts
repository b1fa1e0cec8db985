import type { WatchedMetric } from '@assay/contracts'
import type { LookBack, RunGiven } from '../kinds/judging.ts'
import { hasMetric } from '../profiles/column-metric.ts'
import type { Figure } from '../series/item-figures.ts'
import { columnKey, type SeriesFrame, type SeriesKey } from '../series/series-key.ts'
import type { Comparing } from '../threshold.ts'
import { type AnomalyPolicy, type RunItem, runItems, sensitivitiesOf } from './definition.ts'

/** A figure that an item watches. `columnName` null: of the table. */
export interface Watched {
  metric: WatchedMetric
  columnName: string | null
}

/** Maximum number of columns in a profile. */
const maxColumns = 1000

/** The columns that an item watches: the named ones, else the first thousand of the table. */
export function columnsOf({ columns }: RunItem, { sides: [side] }: Pick<RunGiven, 'sides'>): readonly string[] {
  return columns ?? side.columns.slice(0, maxColumns).map(({ name }) => name)
}

/** Maximum number of series whose values fit into an event. */
const maxSeries = 2000

/** An item of a run, and the figures that it watches. `leftOut`: the number of figures above the maximum of a run. */
export interface WatchingItem {
  item: RunItem
  watched: Watched[]
  leftOut: number
}

/** The items of a run with their figures: two thousand at most. Pure. */
export function watchingItems(policy: AnomalyPolicy, run: Pick<RunGiven, 'sides' | 'itemSelection'>): WatchingItem[] {
  let left = maxSeries
  return runItems(policy, run.itemSelection).map((item) => {
    const all = watchedBy(item, run)
    const watched = all.slice(0, left)
    left -= watched.length
    return { item, watched, leftOut: all.length - watched.length }
  })
}

/** The figures that an item watches, those of the table first. */
function watchedBy(item: RunItem, run: Pick<RunGiven, 'sides'>): Watched[] {
  const types = new Map(run.sides[0].columns.map(({ name, dataType }) => [name, dataType]))
  const ofTable = item.columns === null ? item.metrics.filter(isOfTable) : []
  return [
    ...ofTable.map((metric) => ({ metric, columnName: null })),
    ...columnsOf(item, run).flatMap((columnName) =>
      item.metrics.flatMap((metric): Watched[] => {
        const dataType = types.get(columnName)
        if (isOfTable(metric) || (dataType !== undefined && !hasMetric(dataType, metric))) return []
        return [{ metric, columnName }]
      }),
    ),
  ]
}

export function isOfTable(metric: WatchedMetric): metric is 'ROW_COUNT' | 'FRESHNESS' | 'VOLUME' | 'SCHEMA' {
  return metric === 'ROW_COUNT' || isOfSource(metric) || metric === 'SCHEMA'
}

/** Whether the source is asked when the table changed and how large it is. */
export function isOfSource(metric: WatchedMetric): metric is 'FRESHNESS' | 'VOLUME' {
  return metric === 'FRESHNESS' || metric === 'VOLUME'
}

/** Whether a figure is compared with the run before instead of with a series. */
export function isOfSchema(metric: WatchedMetric): metric is 'DATA_TYPE' | 'SCHEMA' {
  return metric === 'DATA_TYPE' || metric === 'SCHEMA'
}

/** A share in percent is compared by log odds. */
export const figureOfMetric = (metric: WatchedMetric): Figure => (metric === 'COMPLETENESS' ? 'PERCENTAGE' : 'NUMBER')

/** What a run reads, for comparison with other runs; `undefined` for a run over a selected part of the data. */
function frameOf({ filter }: AnomalyPolicy, run: RunGiven): SeriesFrame | undefined {
  const { executionType: scope, markKey } = run
  const [{ assetId, view }] = run.sides
  return scope === 'SELECTIVE' ? undefined : { assetId, view, scope, markKey, filter }
}

/** The series of watched figures; `undefined` for a run over a selected part of the data. */
export function seriesOf(policy: AnomalyPolicy, run: RunGiven): (watched: Watched) => SeriesKey | undefined {
  const frame = frameOf(policy, run)
  return ({ metric, columnName }) => frame && columnKey(columnName, { profile: metric }, frame)
}

/** The series that a run looks back at. */
export function anomalyLookBacks(
  policy: AnomalyPolicy,
  run: RunGiven,
  periodKeyOf: (watched: Watched) => SeriesKey | undefined,
): LookBack[] {
  const keyOf = seriesOf(policy, run)
  return watchingItems(policy, run).flatMap(({ item, watched: all }) => {
    const { error, warning } = sensitivitiesOf(policy, item)
    const threshold: Comparing = {
      type: 'ANOMALY',
      config: { successSensitivityLevel: error, warningSensitivityLevel: warning },
    }
    return all.flatMap((watched) => {
      const keys = isOfSchema(watched.metric) ? [] : [keyOf(watched), periodKeyOf(watched)]
      return keys.flatMap((key) => (key === undefined ? [] : [{ key, threshold }]))
    })
  })
}

import type { Metric } from '@assay/data-engine'
import { divideExact, type Exact, exactHundred, exactOf, multiplyExact, parseExact } from '../exact.ts'
import type { FoundPeriods, PeriodsRequest, RunGiven } from '../kinds/judging.ts'
import { requestOf } from '../periods/request.ts'
import { periodKey, type RunPeriods, runPeriods } from '../periods/run-periods.ts'
import { keptFigure } from '../series/figure.ts'
import type { SeriesKey } from '../series/series-key.ts'
import type { AnomalyPolicy } from './definition.ts'
import { type Watched, watchingItems } from './series.ts'

/** A figure that is measured by period. `metric` is undefined for the number of rows. */
export interface PeriodFigure {
  key: SeriesKey
  watched: Watched
  metric: Metric | undefined
}

/** The figures of a run that are measured by period, and the periods; `undefined` if there are none. Pure. */
export interface WatchedPeriods {
  periods: RunPeriods
  figures: readonly PeriodFigure[]
  keyOf(watched: Watched): SeriesKey | undefined
}

/** Maximum number of metrics that engines measure in one request. */
export const maxMetrics = 1000

/** Whether a figure can be measured by period. Pure. */
export const isByPeriod = (watched: Watched) => watched.metric === 'ROW_COUNT' || metricOf(watched, 1) !== undefined

export function watchedPeriods(policy: AnomalyPolicy, run: RunGiven): WatchedPeriods | undefined {
  if (policy.periods === undefined) return undefined
  const all = new Map<string, Watched>()
  for (const { watched } of watchingItems(policy, run))
    for (const one of watched) if (isByPeriod(one)) all.set(nameOf(one), one)
  const some = [...all.values()].slice(0, maxMetrics)
  const periods = runPeriods(policy.periods, run, some.length)
  if (periods === undefined) return undefined
  const of = { filter: policy.filter, side: run.sides[0] }
  const figures = some.map((watched, index): PeriodFigure => {
    const key = periodKey(watched.columnName, { profile: watched.metric }, periods, of)
    return { key, watched, metric: metricOf(watched, index + 1) }
  })
  const keys = new Map(figures.map(({ watched, key }) => [nameOf(watched), key]))
  return { periods, figures, keyOf: (watched) => keys.get(nameOf(watched)) }
}

const nameOf = ({ metric, columnName }: Watched) => JSON.stringify([metric, columnName])

/** How an engine measures a figure of a period; `undefined` if the engine would have to read the values one by one. */
function metricOf({ metric, columnName: column }: Watched, id: number): Metric | undefined {
  if (column === null) return undefined
  switch (metric) {
    case 'COMPLETENESS':
      return { kind: 'aggregate', id, fn: 'COUNT', column }
    case 'APPROXIMATE_DISTINCT_VALUES':
      return { kind: 'distinct', id, column }
    case 'MEAN':
      return { kind: 'aggregate', id, fn: 'AVG', column }
    case 'MINIMUM':
      return { kind: 'aggregate', id, fn: 'MIN', column }
    case 'MAXIMUM':
      return { kind: 'aggregate', id, fn: 'MAX', column }
    case 'SUM':
      return { kind: 'aggregate', id, fn: 'SUM', column }
    default:
      return undefined
  }
}

/** One request for all figures. Pure. */
export function periodsRequest({ filter }: AnomalyPolicy, run: RunGiven, of: WatchedPeriods): PeriodsRequest {
  return requestOf(of.periods, { filter, metrics: of.figures.flatMap(({ metric }) => metric ?? []) }, run)
}

/** The values of each series by period, without series that could not be measured. Pure. */
export const valuesOf =
  ({ figures }: WatchedPeriods) =>
  (measured: FoundPeriods['periods']): Map<SeriesKey, (string | null)[]> => {
    const results = measured.map(({ rows, metrics }) => ({ rows, byId: new Map(metrics.map((one) => [one.id, one])) }))
    const isMeasured = ({ metric }: PeriodFigure) =>
      metric === undefined || results.every(({ byId }) => (byId.get(metric.id)?.kind ?? 'error') !== 'error')
    return new Map(
      figures.filter(isMeasured).map(({ key, watched, metric }) => [
        key,
        results.map(({ rows, byId }) => {
          const value = metric === undefined ? exactOf(rows) : figureOf(watched, rows, byId.get(metric.id))
          return value === undefined ? null : (keptFigure(value) ?? null)
        }),
      ]),
    )
  }

type Result = FoundPeriods['periods'][number]['metrics'][number]

function figureOf({ metric }: Watched, rows: number, result: Result | undefined): Exact | undefined {
  if (result?.kind === 'rows') return rows === 0 ? undefined : exactOf(result.scanned - result.failed)
  if (result?.kind !== 'value' || result.value === null) return undefined
  const value = parseExact(result.value)
  if (value === undefined || metric !== 'COMPLETENESS') return value
  return rows === 0 ? undefined : divideExact(multiplyExact(value, exactHundred), exactOf(rows))
}

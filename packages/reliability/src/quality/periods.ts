import type { ItemRecord } from '@assay/contracts'
import type { Metric } from '@assay/data-engine'
import { type Sensitivities, sensitivitiesIn } from '../anomaly/judge-anomaly.ts'
import { judgeItem } from '../judge-item.ts'
import type { FoundPeriods, RunGiven } from '../kinds/judging.ts'
import { periodOf, type RunPeriods, runPeriods } from '../periods/run-periods.ts'
import { planItem } from '../plan-item.ts'
import { figuresOf, judgedFigure } from '../series/item-figures.ts'
import { type SeriesKey, seriesKey } from '../series/series-key.ts'
import { readThreshold } from '../threshold.ts'
import { type QualityPolicy, runItems } from './definition.ts'

/** An item that is measured by period. */
interface PeriodItem {
  item: ItemRecord
  key: SeriesKey
  metric: Metric
}

/** The items of a run that are measured by period. */
export interface ItemPeriods {
  periods: RunPeriods
  items: readonly PeriodItem[]
  /** Why the other items that learn usual values have one value per run, by item id. */
  notBackfilled: ReadonlyMap<number, string>
  keyOf(itemId: number): SeriesKey | undefined
}

/** The sensitivities of an item that learns usual values; `undefined` for other items. Pure. */
export function sensitivitiesOf({ thresholdConfig }: Pick<ItemRecord, 'thresholdConfig'>): Sensitivities | undefined {
  const read = readThreshold(thresholdConfig)
  if (!('comparing' in read) || read.comparing.type !== 'ANOMALY') return undefined
  return sensitivitiesIn(read.comparing)
}

/** The periods of a run; `undefined` if the table has none, or no item learns usual values. Pure. */
export function itemPeriods(policy: QualityPolicy, run: RunGiven): ItemPeriods | undefined {
  const usual = runItems(policy, run.itemSelection).filter((item) => sensitivitiesOf(item) !== undefined)
  const periods = runPeriods(policy.periods, run, usual.length)
  if (periods === undefined) return undefined
  const [{ assetId, view, columns, references }] = run.sides
  const of = { assetId, view, scope: 'FULL' as const, markKey: null, filter: policy.sides[0].filter }
  const frame = { ...of, period: periodOf(periods) }
  const items: PeriodItem[] = []
  const notBackfilled = new Map<number, string>()
  for (const item of usual) {
    const planned = planItem(item, columns, references)
    const reason = 'metric' in planned ? reasonOf(planned.metric) : 'It reads no rows of the table.'
    if ('metric' in planned && reason === undefined)
      items.push({ item, key: seriesKey(item, judgedFigure(item), frame, references), metric: planned.metric })
    // An item that cannot be measured at all reports that itself.
    else if (!('problem' in planned) && reason !== undefined) notBackfilled.set(item.id, reason)
  }
  const keys = new Map(items.map(({ item, key }) => [item.id, key]))
  return { periods, items, notBackfilled, keyOf: (itemId) => keys.get(itemId) }
}

/** Why a metric cannot be measured by period; `undefined` if it can. */
function reasonOf(metric: Metric): string | undefined {
  switch (metric.kind) {
    case 'rows':
      return metric.predicate.kind === 'duplicate'
        ? 'Duplicate rows are found among all rows, not within a period.'
        : undefined
    case 'distinct':
    case 'aggregate':
    case 'aggregate-expression':
      return undefined
    case 'newest':
      return 'The age of the newest data depends on the time of the run.'
    case 'select':
      return 'Its SELECT reads the whole table.'
    default:
      return metric satisfies never
  }
}

/** The values that the thresholds judge, by series and period. Items that could not be measured are left out. Pure. */
export const valuesOf =
  ({ items, periods: { bounds } }: ItemPeriods) =>
  (measured: FoundPeriods['periods']): Map<SeriesKey, (string | null)[]> => {
    const results = measured.map(({ metrics }) => new Map(metrics.map((one) => [one.id, one])))
    const isMeasured = ({ metric }: PeriodItem) =>
      results.every((byId) => (byId.get(metric.id)?.kind ?? 'error') !== 'error')
    const valueIn = ({ item, metric }: PeriodItem, index: number): string | null => {
      const result = results[index]?.get(metric.id)
      if (result === undefined) return null
      const runStartedAt = new Date(bounds[index + 1] ?? 0).toISOString()
      const outcome = judgeItem({ item, result, runStartedAt, treatZeroRowsAsSuccess: false })
      return figuresOf(item, outcome).find(({ figure }) => figure === judgedFigure(item))?.value ?? null
    }
    return new Map(
      items.filter(isMeasured).map((one) => [one.key, results.map((_, index): string | null => valueIn(one, index))]),
    )
  }

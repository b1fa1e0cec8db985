import type { ItemRecord } from '@assay/contracts'
import type { LookBack, RunGiven } from '../kinds/judging.ts'
import { type Figure, judgedFigure } from '../series/item-figures.ts'
import { type SeriesFrame, type SeriesKey, scoreKey, seriesKey } from '../series/series-key.ts'
import { readThreshold } from '../threshold.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { itemPeriods } from './periods.ts'

/** The series of a run. */
export interface RunSeries {
  item(itemId: number, figure: Figure): SeriesKey | undefined
  score: SeriesKey
}

/** `undefined` for a run over a selected part of the data, which cannot be compared with any other run. */
export function runSeries(policy: QualityPolicy, run: RunGiven): RunSeries | undefined {
  const { executionType: scope, markKey, itemSelection } = run
  if (scope === 'SELECTIVE') return undefined
  const [{ assetId, view, references }] = run.sides
  const frame: SeriesFrame = { assetId, view, scope, markKey, filter: policy.sides[0].filter }
  const items = runItems(policy, itemSelection)
  const keys = new Map(
    items.map((item) => [
      item.id,
      {
        PERCENTAGE: seriesKey(item, 'PERCENTAGE', frame, references),
        NUMBER: seriesKey(item, 'NUMBER', frame, references),
      },
    ]),
  )
  const { strategy, items: named } = policy.score
  const scored = items.flatMap((item) => {
    const key = keys.get(item.id)?.PERCENTAGE
    const isScored = strategy !== 'CUSTOM' || named.includes(item.name)
    return key !== undefined && isScored ? [{ key, item }] : []
  })
  return { item: (itemId, figure) => keys.get(itemId)?.[figure], score: scoreKey(strategy, scored, frame) }
}

/** The look-backs of a run's thresholds. */
export function lookBacksOf(policy: QualityPolicy, run: RunGiven): LookBack[] {
  const { verdictBy, threshold } = policy.score
  const comparingOf = (record: ItemRecord['thresholdConfig']) => {
    const read = readThreshold(record)
    return 'comparing' in read ? [read.comparing] : []
  }
  const items = runItems(policy, run.itemSelection).flatMap((item) =>
    comparingOf(item.thresholdConfig).map((comparing) => ({ item, comparing })),
  )
  const ofScore = verdictBy === 'SCORE' ? comparingOf(threshold) : []
  // Most policies have no look-backs, so their keys are computed only when there are points.
  const series = items.length + ofScore.length === 0 ? undefined : runSeries(policy, run)
  if (series === undefined) return []
  const periods = itemPeriods(policy, run)
  return [
    ...items.flatMap(({ item, comparing }) => {
      const keys = [series.item(item.id, judgedFigure(item)), periods?.keyOf(item.id)]
      return keys.flatMap((key) => (key === undefined ? [] : [{ key, threshold: comparing }]))
    }),
    ...ofScore.map((comparing) => ({ key: series.score, threshold: comparing })),
  ]
}

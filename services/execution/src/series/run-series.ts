import {
  type Comparing,
  type Figure,
  figuresOf,
  type ItemOutcome,
  judgedFigure,
  type PolicyScore,
  type References,
  readThreshold,
  type SeriesFrame,
  type SeriesKey,
  scoreKey,
  seriesKey,
} from '@assay/reliability'
import { runItems } from '../execution/run-items.ts'
import { markKeyOf } from '../running/run-window.ts'
import type { KnownRun } from '../versions/versions.ts'

/** The series that a run belongs to. */
export interface RunSeries {
  item(itemId: number, figure: Figure): SeriesKey | undefined
  score: SeriesKey
  /** Those that thresholds of the run look back at. */
  asked: readonly { key: SeriesKey; threshold: Comparing }[]
}

/** `undefined` for a run over a chosen part of the data: it compares with nothing, neither with other parts nor the whole. */
export function runSeries(run: KnownRun, references: Pick<References, 'udf' | 'variables'>): RunSeries | undefined {
  const { score: scoring, sides } = run.definition
  if (run.executionType === 'SELECTIVE') return undefined
  const filter = sides.find(({ side }) => side === run.table.side)?.filter ?? null
  const frame: SeriesFrame = { assetId: run.table.assetId, scope: run.executionType, markKey: markKeyOf(run), filter }
  const items = runItems(run)
  const keys = new Map(
    items.map((item) => [
      item.id,
      {
        PERCENTAGE: seriesKey(item, 'PERCENTAGE', frame, references),
        NUMBER: seriesKey(item, 'NUMBER', frame, references),
      },
    ]),
  )
  const isScored = ({ name }: { name: string }) => scoring.strategy !== 'CUSTOM' || scoring.items.includes(name)
  const scored = items.filter(isScored).flatMap((item) => {
    const key = keys.get(item.id)?.PERCENTAGE
    return key === undefined ? [] : [{ key, item }]
  })
  const score = scoreKey(scoring.strategy, scored, frame)
  const ofItems = items.flatMap((item) => {
    const key = keys.get(item.id)?.[judgedFigure(item)]
    return key === undefined ? [] : [{ key, record: item.thresholdConfig }]
  })
  const ofScore = scoring.verdictBy === 'SCORE' ? [{ key: score, record: scoring.threshold }] : []
  return {
    item: (itemId, figure) => keys.get(itemId)?.[figure],
    score,
    asked: [...ofItems, ...ofScore].flatMap(({ key, record }) => {
      const read = readThreshold(record)
      return 'comparing' in read ? [{ key, threshold: read.comparing }] : []
    }),
  }
}

/** What a run measured, by series. A score of items of which none was measured is none. */
export function pointsOf(
  run: KnownRun,
  series: RunSeries,
  outcomes: readonly (ItemOutcome & { itemId: number })[],
  score: Pick<PolicyScore, 'figure'>,
): Record<SeriesKey, string> {
  const found = new Map(outcomes.map((outcome) => [outcome.itemId, outcome]))
  const points: Record<SeriesKey, string> = {}
  for (const item of runItems(run)) {
    const outcome = found.get(item.id)
    for (const { figure, value } of outcome ? figuresOf(item, outcome) : []) {
      const key = series.item(item.id, figure)
      if (key !== undefined) points[key] = value
    }
  }
  if (score.figure !== null && Object.keys(points).length > 0) points[series.score] = score.figure
  return points
}

import type { ItemRecord } from '@assay/contracts'
import type { AnomalyDetail } from '../anomaly/detail.ts'
import { learningNote, type Sensitivities } from '../anomaly/judge-anomaly.ts'
import { detailOfValues, type JudgedValue, judgeValue, type WatchedSeries } from '../anomaly/judge-values.ts'
import type { RangedOutcome } from '../item-outcome.ts'
import type { Steps } from '../kinds/steps.ts'
import { shownPercentage } from '../percentage.ts'
import type { JudgedPeriods } from '../periods/judged-periods.ts'
import { exactOfFigure } from '../series/figure.ts'
import { figuresOf, judgedFigure } from '../series/item-figures.ts'
import { anyValue, type JudgedPoint, valueOfPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'

/** An outcome of an item that learns usual values. */
export interface UsualOutcome extends RangedOutcome {
  /** The values of the periods, as they were judged. */
  periodPoints: JudgedPoint[]
}

function seriesOf(item: ItemRecord, sensitivities: Sensitivities): WatchedSeries {
  const figure = judgedFigure(item)
  const sentenceOf = (shown: string) =>
    figure === 'PERCENTAGE' ? `${shown} % of the rows pass.` : `The value is ${shown}.`
  return { metric: figure, columnName: item.columnName, figure, sensitivities, sentenceOf }
}

/** The outcome with the findings on the run's own value. `history`: the history of its series. Pure. */
export function withUsual(
  item: ItemRecord,
  sensitivities: Sensitivities,
  { outcome, history, startedAt }: { outcome: RangedOutcome; history: History; startedAt: string },
): RangedOutcome {
  const series = seriesOf(item, sensitivities)
  const figure = figuresOf(item, outcome).find((one) => one.figure === series.figure)
  const tested = figure && { at: startedAt, value: valueOfPoint(figure), history, isEarlier: false }
  return { ...outcome, detail: detailOfValues(series, tested ? [judgeValue(series, tested)] : [], undefined) }
}

/** How the periods of an item were judged. */
interface OfPeriods {
  key: SeriesKey
  periods: JudgedPeriods
  /** Number of rows in the newest period. */
  rows: number
  treatZeroRowsAsSuccess: boolean
}

/**
 * The verdict of the newest period, with the findings on all periods that ended since the last run. The counts remain
 * those of the run. Pauses before each period. Pure.
 */
export function* byPeriods(
  item: ItemRecord,
  sensitivities: Sensitivities,
  outcome: RangedOutcome,
  { key, periods, rows, treatZeroRowsAsSuccess }: OfPeriods,
): Steps<UsualOutcome> {
  const series = seriesOf(item, sensitivities)
  const judged: (JudgedValue & { text: string })[] = []
  const periodPoints: JudgedPoint[] = []
  for (const { end, value, history, isNewest } of periods.valuesOf(key)) {
    yield
    const at = new Date(end).toISOString()
    const found = judgeValue(series, { at, value: valueOfPoint({ value }), history, isEarlier: !isNewest })
    judged.push({ ...found, text: value })
    const fired = found.judged !== undefined && found.judged.verdict !== 'SUCCESSFUL'
    const range = found.judged?.range ?? anyValue
    const of = { itemId: item.id, metric: series.figure, columnName: item.columnName }
    periodPoints.push({ ...of, key, value, ...range, fired, periodEnd: end })
  }
  const detail = detailOfValues(series, judged, periods.shownFor([key]))
  const newest = judged.find(({ isEarlier }) => !isEarlier)
  const base = { ...withoutVerdict(outcome), detail, periodPoints }
  if (newest === undefined && !treatZeroRowsAsSuccess) return { ...base, verdict: 'ERRORED', error: noValue(rows) }
  const verdict = newest?.judged?.verdict ?? 'SUCCESSFUL'
  const note = newest === undefined ? undefined : noteOf(series, newest, detail)
  const ofNewest = newest === undefined ? 100 : shownPercentage(exactOfFigure(newest.text), () => true)
  return {
    ...base,
    verdict: verdict === 'ERRORED' && item.isWarning ? 'WARNING' : verdict,
    // The percentage of an item that measures a number is 100 or 0, as its verdict says.
    resultPercentage:
      series.figure === 'PERCENTAGE' ? (outcome.resultPercentage ?? ofNewest) : verdict === 'SUCCESSFUL' ? 100 : 0,
    ...(note === undefined ? {} : { note }),
  }
}

const noValue = (rows: number) =>
  rows === 0 ? 'The newest period has no rows.' : 'The newest period has no rows that the item measures.'

/** Removes findings that depend on the run's own value. */
function withoutVerdict({ range: _, note: __, error: ___, ...outcome }: RangedOutcome): RangedOutcome {
  return { ...outcome, error: null }
}

function noteOf(series: WatchedSeries, { judged, known }: JudgedValue, detail: AnomalyDetail) {
  if (detail.state === 'LEARNING') return learningNote(known)
  return judged?.usual == null ? undefined : `${series.sentenceOf(judged.shown)} ${judged.usual}`
}

import type { Anomaly, BackfilledPeriods } from '@assay/contracts'
import { type AnomalyDetail, bounded, maxAnomalies } from '../anomaly/detail.ts'
import { expectedOf } from '../anomaly/expected-alarms.ts'
import { bandOf, learningNote, type Sensitivities } from '../anomaly/judge-anomaly.ts'
import { minReadings } from '../anomaly/predict.ts'
import { compareExact, exactHundred, exactOf } from '../exact.ts'
import { readingsOf, testedReading } from '../history.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import type { Found, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { passingPercentage, shownPercentage } from '../percentage.ts'
import { judgedPeriods } from '../periods/judged-periods.ts'
import { keptRecord } from '../periods/recorded.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import { scorePolicy } from '../score-policy.ts'
import { keptFigure } from '../series/figure.ts'
import { anyValue, type JudgedPoint, judgedPoints, valueOfPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import type { Verdict } from '../threshold.ts'
import { type AnomalyPolicy, type RunItem, runItems, sensitivitiesOf } from './definition.ts'
import { figureOf, measuredIn } from './figure.ts'
import { judgeFigure } from './judge-figure.ts'
import { leftOutOf, newestPeriod } from './newest-period.ts'
import { valuesOf, watchedPeriods } from './periods.ts'
import { problemOf } from './problem.ts'
import { type Changed, changeOfSchema, changeOfType, type Types, typesAfter, typesBefore, typesOf } from './schema.ts'
import { isOfSchema, seriesOf, type Watched, watchingItems } from './series.ts'
import { sentenceOf } from './words.ts'

/** The judgement of one series. */
interface JudgedSeries {
  verdict: Verdict
  anomaly: Anomaly
  /** Whether it belongs to a period before the newest one, so that it decides no verdict. */
  isEarlier: boolean
}

/** The findings on the figures of an item. */
interface Findings {
  judged: JudgedSeries[]
  points: JudgedPoint[]
  histories: History[]
  /**
   * Among the series with too few earlier values, the largest number of earlier values. `null` if all series have
   * enough.
   */
  learned: number | null
  /** The number of values of the run, or of the newest period, with too few earlier values. */
  learning: number
  /** The series that were measured by period. */
  periodKeys: SeriesKey[]
  /** For each series that should have been measured by period, but was not, the reason. */
  notByPeriod: string[]
  /** The values of the run, or of the newest period. */
  tested: number
}

/** Judges all figures that each item watches. Also returns the points for later runs. Pure. */
export function* judgeAnomalies(
  policy: AnomalyPolicy,
  run: RunGiven,
  all: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const measured = measuredIn(all, policy.freshnessColumn, run.startedAt)
  const { state } = measured
  const [before, now] = [typesBefore(run), typesOf(state)]
  const keyOf = seriesOf(policy, run)
  const watching = watchedPeriods(policy, run)
  const keys = watching?.figures.map(({ key }) => key) ?? []
  const periods = watching && judgedPeriods(watching.periods, { run, found: all, past, keys }, valuesOf(watching))
  const newest = periods && watching && newestPeriod(watching, all)
  const leftOutReason = leftOutOf(watching, all)
  const items = watchingItems(policy, run)
  const points: JudgedPoint[] = []
  const outcomes: { item: RunItem; outcome: ItemOutcome }[] = []
  for (const { item, watched: figures, leftOut } of items) {
    const sensitivities = sensitivitiesOf(policy, item)
    const findings: Findings = {
      judged: [],
      points,
      histories: [],
      learned: null,
      learning: 0,
      periodKeys: [],
      notByPeriod: [],
      tested: 0,
    }
    for (const watched of figures) {
      yield
      if (isOfSchema(watched.metric)) {
        const change = changeOf(watched, before, now)
        if (change !== undefined) {
          findings.judged.push(ofChange(watched, change, run.startedAt))
          findings.tested += 1
        }
        continue
      }
      const reason = leftOutReason(watched)
      if (reason !== undefined) findings.notByPeriod.push(reason)
      const periodKey = reason === undefined ? periods && watching?.keyOf(watched) : undefined
      if (periodKey !== undefined) {
        findings.periodKeys.push(periodKey)
        for (const { end, value, history, isNewest } of periods?.valuesOf(periodKey) ?? []) {
          yield
          const given = {
            itemId: item.id,
            watched,
            value: valueOfPoint({ value }),
            key: periodKey,
            sensitivities,
            history,
          }
          addSeries(findings, { ...given, at: new Date(end).toISOString(), periodEnd: end, isEarlier: !isNewest })
        }
        continue
      }
      const value = figureOf(watched.metric, watched.columnName, measured)
      const key = keyOf(watched) ?? null
      const history = key === null ? undefined : past.get(key)
      const given = { itemId: item.id, watched, key, sensitivities, history, at: run.startedAt, isEarlier: false }
      if (value !== null) addSeries(findings, { ...given, value })
    }
    const { periodKeys } = findings
    const byPeriod = periods &&
      periodKeys.length > 0 && {
        backfill: periods.shownFor(periodKeys),
        olderLeftOut: periods.leftOut,
        ...(newest && { newest: { rows: newest.rows, problem: newest.problemOf(figures) ?? null } }),
      }
    outcomes.push({
      item,
      outcome: outcomeOf(policy, { item, run, state, sensitivities, leftOut, ...byPeriod }, findings),
    })
  }
  const score = scorePolicy({
    strategy: policy.score.strategy,
    scoreItems: policy.score.items,
    thresholdLevel: policy.score.threshold,
    verdictBy: policy.score.verdictBy,
    outcomes: outcomes.map(({ item, outcome }) => ({ name: item.name, weightage: 1, isWarning: false, outcome })),
  })
  const ofAll = runItems(policy, run.itemSelection)
  return {
    outcomes: outcomes.map(({ item, outcome }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
    ...(run.executionType === 'SELECTIVE'
      ? {}
      : {
          ...judgedPoints(points),
          ...(periods === undefined || periods.points.ends.length === 0 ? {} : { periods: periods.points }),
          learned: { ...typesAfter(run, ofAll, now), ...(periods?.learned ?? keptRecord(run)) },
        }),
  }
}

function changeOf({ columnName }: Watched, before: Types, now: Types): Changed | undefined {
  return columnName === null ? changeOfSchema(before, now) : changeOfType(columnName, before, now)
}

/** Each change of the schema fires. */
function ofChange(watched: Watched, { value, reason }: Changed, at: string): JudgedSeries {
  const fired = value > 0
  const usual = { expected: 0, lower: 0, upper: 0 }
  return {
    isEarlier: false,
    verdict: fired ? 'ERRORED' : 'SUCCESSFUL',
    anomaly: { ...watched, at, value, ...usual, score: value, fired, reason },
  }
}

interface Tested {
  itemId: number
  watched: Watched
  value: number
  key: SeriesKey | null
  sensitivities: Sensitivities
  history: History | undefined
  /** ISO 8601 UTC. */
  at: string
  periodEnd?: number
  isEarlier: boolean
}

function addSeries(findings: Findings, tested: Tested): void {
  const { itemId, watched, value, key, sensitivities, history, at, periodEnd, isEarlier } = tested
  const readings = history === undefined ? [] : readingsOf(history)
  const reading = history === undefined ? { at: Date.parse(at), value } : testedReading(history, value)
  const judged = judgeFigure(watched.metric, reading, { readings, sensitivities })
  const fired = judged !== undefined && judged.verdict !== 'SUCCESSFUL'
  if (!isEarlier) findings.tested += 1
  const figure = keptFigure(exactOf(value))
  if (figure !== undefined)
    findings.points.push({
      ...{ itemId, ...watched, key, value: figure, ...(judged?.range ?? anyValue), fired },
      ...(periodEnd === undefined ? {} : { periodEnd }),
    })
  if (history === undefined || judged === undefined) {
    if (!isEarlier) findings.learning += 1
    findings.learned = Math.max(findings.learned ?? 0, readings.length)
    return
  }
  const { verdict, detection, usual, shown } = judged
  const { lower, upper } = bandOf(detection, sensitivities.warning ?? sensitivities.error, sensitivities)
  if (!isEarlier) findings.histories.push(history)
  findings.judged.push({
    ...{ verdict, isEarlier },
    anomaly: {
      ...{ ...watched, at, value: bounded(value), expected: bounded(detection.expected) },
      ...{ lower: bounded(lower), upper: bounded(upper), score: bounded(detection.score) },
      ...{ fired, reason: usual && `${sentenceOf(watched, shown)} ${usual}` },
    },
  })
}

interface OfItem {
  item: RunItem
  run: RunGiven
  state: ProfileState
  sensitivities: Sensitivities
  leftOut: number
  backfill?: BackfilledPeriods
  /** Why older periods were not measured. */
  olderLeftOut?: string | undefined
  /** The outcome of figures that are measured by period. `problem`: why one of them could not be measured. */
  newest?: { rows: number; problem: string | null }
}

/** The percentage of the judged series that did not fire. */
function outcomeOf(policy: AnomalyPolicy, of: OfItem, findings: Findings): ItemOutcome {
  const { state, sensitivities, backfill } = of
  const { judged: all, histories, learned, learning } = findings
  const judged = all.filter(({ isEarlier }) => !isEarlier)
  const fired = judged.filter(({ anomaly }) => anomaly.fired)
  const isLearning = learned !== null && histories.length === 0
  const error = problemOf(policy, of, findings.tested)
  const detail: AnomalyDetail = {
    anomalies: all
      .toSorted((one, other) => Math.abs(other.anomaly.score) - Math.abs(one.anomaly.score))
      .sort((one, other) => Number(one.isEarlier) - Number(other.isEarlier))
      .map(({ anomaly }) => anomaly)
      .sort((one, other) => Number(other.fired) - Number(one.fired))
      .slice(0, maxAnomalies),
    anomalyCount: all.length,
    expectedFalseAlarmsPerMonth: expectedOf(sensitivities.warning ?? sensitivities.error, histories),
    state: isLearning ? 'LEARNING' : 'JUDGED',
    learned: isLearning ? { points: learned, needed: minReadings } : null,
    ...(learned === null ? {} : { learning: { figures: learning, points: learned, needed: minReadings } }),
    ...(backfill === undefined ? {} : { backfill, earlierCount: all.length - judged.length }),
  }
  const verdicts = new Set(judged.map(({ verdict }) => verdict))
  const percentage = judged.length === 0 ? exactHundred : passingPercentage(judged.length, fired.length)
  const note = noteOf(of, detail)
  return {
    verdict: error !== null || verdicts.has('ERRORED') ? 'ERRORED' : verdicts.has('WARNING') ? 'WARNING' : 'SUCCESSFUL',
    resultPercentage: error === null ? shownPercentage(percentage, (one) => compareExact(one, exactHundred)) : null,
    rowsScanned: state.rows,
    rowsFailed: null,
    value: error === null ? String(fired.length) : null,
    error,
    ...(note === undefined ? {} : { note }),
    ...notBackfilledOf(of, findings),
    detail,
  }
}

function notBackfilledOf(
  { olderLeftOut }: OfItem,
  { notByPeriod: [reason, ...others], periodKeys }: Findings,
): Pick<ItemOutcome, 'notBackfilled'> {
  const count = others.length + 1
  const all = count + periodKeys.length
  const reasons = [
    ...(reason === undefined ? [] : [`${count} of ${all} figures could not be measured by period. ${reason}`]),
    ...(olderLeftOut === undefined ? [] : [olderLeftOut]),
  ]
  return reasons.length === 0 ? {} : { notBackfilled: reasons.join(' ') }
}

function noteOf({ run, leftOut }: OfItem, { state, learned }: AnomalyDetail): string | undefined {
  if (run.executionType === 'SELECTIVE')
    return 'A SELECTIVE run is not compared with earlier runs, because each of them reads other rows.'
  const notes = [
    ...(state === 'LEARNING' ? [learningNote(learned?.points ?? 0)] : []),
    ...(leftOut > 0 ? [`${leftOut} figures are not watched: name fewer columns or metrics.`] : []),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}

import type { Threshold } from '@assay/contracts'
import type { Compared } from '../history.ts'
import type { Figure } from '../series/item-figures.ts'
import { anyValue, finiteRange, type Range } from '../series/judged-point.ts'
import type { Verdict } from '../threshold.ts'
import { type Detection, detect, type Reading } from './detect.ts'
import { minReadings } from './predict.ts'
import type { SeasonName } from './seasons.ts'
import { limits, type Sensitivity } from './sensitivity.ts'

const seasonWords: Readonly<Record<SeasonName, string>> = {
  NONE: '',
  DAY_OF_WEEK: ' on this day of the week',
  HOUR_OF_DAY: ' at this hour',
  HOUR_OF_WEEK: ' at this hour of this day of the week',
}

/** The earlier values of a series, ascending by time. */
export interface Earlier {
  readings: readonly Reading[]
  figure: Figure
}

type LearningThreshold = Extract<Threshold, { type: 'ANOMALY' }>

/** The sensitivities at which a value is ERRORED, and at which it is WARNING. */
export interface Sensitivities {
  error: Sensitivity
  warning?: Sensitivity | undefined
  /** If absent, values fire above and below the expected one. */
  direction?: LearningThreshold['config']['direction']
}

/** The sensitivities and the direction of a threshold. */
export function sensitivitiesIn({ config }: LearningThreshold): Sensitivities {
  const { successSensitivityLevel: error, warningSensitivityLevel: warning, direction } = config
  return { error, warning, ...(direction == null ? {} : { direction }) }
}

/**
 * The verdict on a value. `range`: the values that pass. `usual`: the expected values in one sentence, if the value
 * fires.
 */
export interface JudgedReading {
  verdict: Verdict
  detection: Detection
  range: Range
  usual: string | null
}

/** The sensitivity that fires more often. */
export const moreSensitive = ({ error, warning }: Sensitivities): Sensitivity =>
  warning !== undefined && limits[warning] < limits[error] ? warning : error

/** The values that do not fire at a sensitivity. A side in which no value fires ends at infinity. */
export function bandOf(
  detection: Detection,
  sensitivity: Sensitivity,
  { direction }: Pick<Sensitivities, 'direction'>,
) {
  const { lower, upper } = detection.band(sensitivity)
  return {
    lower: direction === 'INCREASED_BY' ? Number.NEGATIVE_INFINITY : lower,
    upper: direction === 'DECREASED_BY' ? Number.POSITIVE_INFINITY : upper,
  }
}

/** Whether a value can fire in the direction of its distance. */
const isWatched = ({ score }: Detection, { direction }: Pick<Sensitivities, 'direction'>) =>
  direction === 'INCREASED_BY' ? score > 0 : direction === 'DECREASED_BY' ? score < 0 : true

/** Why there is no verdict yet. */
export const learningNote = (points: number) =>
  `The usual values are known after ${minReadings} runs; so far there are ${points}.`

/**
 * ERRORED if the value fires at the error sensitivity, WARNING if it fires only at the warning sensitivity. `undefined`:
 * there are fewer than seven earlier values.
 */
export function judgeReading(
  tested: Reading,
  { readings, figure }: Earlier,
  sensitivities: Sensitivities,
): JudgedReading | undefined {
  const detection = detect(readings, tested, figure)
  if (detection === undefined) return undefined
  const { error, warning } = sensitivities
  const fires = (sensitivity: Sensitivity) =>
    isWatched(detection, sensitivities) && Math.abs(detection.score) > limits[sensitivity]
  const usualAt = (sensitivity: Sensitivity) => usualOf(detection, sensitivity, sensitivities)
  const { lower, upper } = bandOf(detection, moreSensitive(sensitivities), sensitivities)
  const range = finiteRange(lower, upper)
  if (fires(error)) return { verdict: 'ERRORED', detection, range, usual: usualAt(error) }
  if (warning !== undefined && fires(warning)) return { verdict: 'WARNING', detection, range, usual: usualAt(warning) }
  return { verdict: 'SUCCESSFUL', detection, range, usual: null }
}

/** ANOMALY: like `judgeReading`. With too little history a value passes, and the note says so. */
export function judgeAnomaly(tested: Reading, threshold: LearningThreshold, earlier: Earlier): Compared {
  const judged = judgeReading(tested, earlier, sensitivitiesIn(threshold))
  if (judged === undefined)
    return { verdict: 'SUCCESSFUL', note: learningNote(earlier.readings.length), range: anyValue }
  const { verdict, usual, range } = judged
  return usual === null ? { verdict, range } : { verdict, note: usual, range }
}

function usualOf(detection: Detection, sensitivity: Sensitivity, sensitivities: Sensitivities): string {
  const range = rangeText(bandOf(detection, sensitivity, sensitivities))
  const usual = `Usual${seasonWords[detection.season]}: ${shownFigure(detection.expected)} (${range}).`
  return detection.isNewLevel(sensitivity)
    ? `${usual} The latest runs agree with each other: this may be the new normal.`
    : usual
}

function rangeText({ lower, upper }: { lower: number; upper: number }): string {
  if (!Number.isFinite(lower)) return `up to ${shownFigure(upper)}`
  return Number.isFinite(upper) ? `${shownFigure(lower)} to ${shownFigure(upper)}` : `at least ${shownFigure(lower)}`
}

export const shownFigure = (value: number) => Number(value.toPrecision(4)).toString()

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
 * fires. `shown`: the value, with enough digits to differ from the limits in this sentence.
 */
export interface JudgedReading {
  verdict: Verdict
  detection: Detection
  range: Range
  usual: string | null
  shown: string
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
  const firedAt = (sensitivity: Sensitivity) => usualOf(tested.value, detection, sensitivity, sensitivities)
  const { lower, upper } = bandOf(detection, moreSensitive(sensitivities), sensitivities)
  const range = finiteRange(lower, upper)
  if (fires(error)) return { verdict: 'ERRORED', detection, range, ...firedAt(error) }
  if (warning !== undefined && fires(warning)) return { verdict: 'WARNING', detection, range, ...firedAt(warning) }
  return { verdict: 'SUCCESSFUL', detection, range, usual: null, shown: shownFigure(tested.value) }
}

/** ANOMALY: like `judgeReading`. With too little history a value passes, and the note says so. */
export function judgeAnomaly(tested: Reading, threshold: LearningThreshold, earlier: Earlier): Compared {
  const judged = judgeReading(tested, earlier, sensitivitiesIn(threshold))
  if (judged === undefined)
    return { verdict: 'SUCCESSFUL', note: learningNote(earlier.readings.length), range: anyValue }
  const { verdict, usual, range } = judged
  return usual === null ? { verdict, range } : { verdict, note: usual, range }
}

function usualOf(value: number, detection: Detection, sensitivity: Sensitivity, sensitivities: Sensitivities) {
  const band = bandOf(detection, sensitivity, sensitivities)
  const digits = digitsFor(value, [band.lower, band.upper])
  const shown = (figure: number) => shownFigure(figure, digits)
  const usual = `Usual${seasonWords[detection.season]}: ${shown(detection.expected)} (${rangeText(band, shown)}).`
  const newLevel = ' The latest runs agree with each other: this may be the new normal.'
  return { usual: detection.isNewLevel(sensitivity) ? usual + newLevel : usual, shown: shown(value) }
}

function rangeText({ lower, upper }: { lower: number; upper: number }, shown: (figure: number) => string): string {
  if (!Number.isFinite(lower)) return `up to ${shown(upper)}`
  return Number.isFinite(upper) ? `${shown(lower)} to ${shown(upper)}` : `at least ${shown(lower)}`
}

const [fewDigits, allDigits] = [4, 17]

/** The significant digits with which a value differs from the limits beside it. */
function digitsFor(value: number, limits: readonly number[]): number {
  for (let digits = fewDigits; digits < allDigits; digits += 1)
    if (limits.every((limit) => shownFigure(limit, digits) !== shownFigure(value, digits))) return digits
  return allDigits
}

/** A figure for people. Digits before the point are never rounded. */
export function shownFigure(value: number, digits = fewDigits): string {
  const whole = Math.abs(value) < 1e15 ? String(Math.trunc(Math.abs(value))).length : digits
  return String(Number(value.toPrecision(Math.max(digits, whole))))
}

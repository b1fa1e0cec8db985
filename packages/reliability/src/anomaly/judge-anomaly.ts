import type { Threshold } from '@assay/contracts'
import type { Compared } from '../history.ts'
import type { Figure } from '../series/item-figures.ts'
import { anyValue, finiteRange, type Range } from '../series/judged-point.ts'
import type { Verdict } from '../threshold.ts'
import { type Detection, detect, minReadings, type Reading } from './detect.ts'
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

/** The sensitivities at which a value is ERRORED, and at which it is WARNING. */
export interface Sensitivities {
  error: Sensitivity
  warning?: Sensitivity | undefined
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
  { error, warning }: Sensitivities,
): JudgedReading | undefined {
  const detection = detect(readings, tested, figure)
  if (detection === undefined) return undefined
  const fires = (sensitivity: Sensitivity) => Math.abs(detection.score) > limits[sensitivity]
  const { lower, upper } = detection.band(moreSensitive({ error, warning }))
  const range = finiteRange(lower, upper)
  if (fires(error)) return { verdict: 'ERRORED', detection, range, usual: usualOf(detection, error) }
  if (warning !== undefined && fires(warning))
    return { verdict: 'WARNING', detection, range, usual: usualOf(detection, warning) }
  return { verdict: 'SUCCESSFUL', detection, range, usual: null }
}

/** ANOMALY: like `judgeReading`. With too little history a value passes, and the note says so. */
export function judgeAnomaly(
  tested: Reading,
  { config }: Extract<Threshold, { type: 'ANOMALY' }>,
  earlier: Earlier,
): Compared {
  const { successSensitivityLevel: error, warningSensitivityLevel: warning } = config
  const judged = judgeReading(tested, earlier, { error, warning })
  if (judged === undefined)
    return { verdict: 'SUCCESSFUL', note: learningNote(earlier.readings.length), range: anyValue }
  const { verdict, usual, range } = judged
  return usual === null ? { verdict, range } : { verdict, note: usual, range }
}

function usualOf(detection: Detection, sensitivity: keyof typeof limits): string {
  const { lower, upper } = detection.band(sensitivity)
  const range = `${Number.isFinite(lower) ? `${shownFigure(lower)} to` : 'up to'} ${shownFigure(upper)}`
  const usual = `Usual${seasonWords[detection.season]}: ${shownFigure(detection.expected)} (${range}).`
  return detection.isNewLevel(sensitivity)
    ? `${usual} The latest runs agree with each other: this may be the new normal.`
    : usual
}

export const shownFigure = (value: number) => Number(value.toPrecision(4)).toString()

import type { Threshold } from '@assay/contracts'
import type { Compared } from '../history.ts'
import type { Figure } from '../series/item-figures.ts'
import { type Detection, detect, minReadings, type Reading } from './detect.ts'
import type { SeasonName } from './seasons.ts'
import { limits } from './sensitivity.ts'

const seasonWords: Readonly<Record<SeasonName, string>> = {
  NONE: '',
  DAY_OF_WEEK: ' on this day of the week',
  HOUR_OF_DAY: ' at this hour',
  HOUR_OF_WEEK: ' at this hour of this day of the week',
}

/**
 * ANOMALY: ERRORED if the value fires at the success sensitivity, WARNING if it fires only at the warning sensitivity.
 * The note says what was expected, or that there is too little history, which counts as passed.
 */
export function judgeAnomaly(
  tested: Reading,
  { config }: Extract<Threshold, { type: 'ANOMALY' }>,
  earlier: { readings: readonly Reading[]; figure: Figure },
): Compared {
  const detection = detect(earlier.readings, tested, earlier.figure)
  if (detection === undefined) {
    const note = `The usual values are known after ${minReadings} runs; so far there are ${earlier.readings.length}.`
    return { verdict: 'SUCCESSFUL', note }
  }
  const { successSensitivityLevel: error, warningSensitivityLevel: warning } = config
  const fires = (sensitivity: typeof error) => Math.abs(detection.score) > limits[sensitivity]
  if (fires(error)) return { verdict: 'ERRORED', note: noteOf(detection, error) }
  if (warning !== undefined && fires(warning)) return { verdict: 'WARNING', note: noteOf(detection, warning) }
  return { verdict: 'SUCCESSFUL' }
}

function noteOf(detection: Detection, sensitivity: keyof typeof limits): string {
  const { lower, upper } = detection.band(sensitivity)
  const usual = `Usual${seasonWords[detection.season]}: ${shown(detection.expected)} (${shown(lower)} to ${shown(upper)}).`
  return detection.isNewLevel(sensitivity)
    ? `${usual} The latest runs agree with each other: this may be the new normal.`
    : usual
}

const shown = (value: number) => Number(value.toPrecision(4)).toString()

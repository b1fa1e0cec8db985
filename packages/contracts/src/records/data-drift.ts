import { z } from 'zod'

/** The share of rows in one bin, 0 to 1, in the baseline and now. */
export const driftBin = z
  .object({ bin: z.string(), reference: z.number(), current: z.number() })
  .meta({ id: 'DriftBin' })

/** Further fields of an item's execution and result. Items of other types have only `state` and `learned`. */
export const driftFigures = z.object({
  /**
   * The change of a metric in percent, or 100 times a measure. `null` means there is no baseline yet, or the value is
   * hidden.
   */
  driftPercent: z.number().nullable(),
  thresholdBy: z.enum(['GIVEN', 'LEARNED', 'DEFAULT']),
  /** The metric in the baseline. */
  referenceValue: z.string().nullable(),
  /** Only for KS and CHI2. */
  pValue: z.number().nullable(),
  /** Whether there are too many different values to measure exactly. */
  approximate: z.boolean(),
  /** Only for measures, with NULL last. */
  bins: z.array(driftBin),
  /** LEARNING: there is no baseline yet, or too little history. */
  state: z.enum(['LEARNING', 'JUDGED']),
  /**
   * `points`: the number of known earlier runs. `needed`: the number of runs needed to learn the threshold or, if
   * `state` is LEARNING, for a verdict. `null` means the threshold was given.
   */
  learned: z.object({ points: z.int(), needed: z.int() }).nullable(),
  /** The first and the last run of the baseline. `null` means another asset is the baseline. */
  referenceProfileFrom: z.int().nullable(),
  referenceProfileTo: z.int().nullable(),
})

import { z } from 'zod'
import { optional, plainText } from '../values/scalars.ts'

/** Maximum distance between the newest times of both sides, in seconds. */
export const timelinessValue = z.object({ maxDelay: z.number().min(0) })

const select = plainText(100_000).trim().min(1)
const distance = optional(z.number().min(0))

/** One SELECT for each side, which returns one number. The numbers agree if their distance is small enough. */
export const customComparisonValue = z.object({
  leftSql: select,
  rightSql: select,
  absolute: distance,
  /** Definitions that are stored may have more than 1. */
  relative: distance,
})

/** The `value` of an item, whatever it measures. */
export const comparisonItemValue = z.object({
  maxDelay: optional(timelinessValue.shape.maxDelay),
  leftSql: optional(select),
  rightSql: optional(select),
  absolute: distance,
  relative: optional(z.number().min(0).max(1)),
})

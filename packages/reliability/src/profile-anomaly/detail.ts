import { anomalyFigures, backfilledPeriods } from '@assay/contracts'
import { z } from 'zod'

/** Maximum number of series in the result of an item. */
export const maxAnomalies = 200

/** The findings of an item, as outcomes keep them. */
export const anomalyDetail = anomalyFigures.extend({
  state: z.enum(['LEARNING', 'JUDGED']),
  learned: z.object({ points: z.int(), needed: z.int() }).nullable(),
  /** Absent: none of its figures was measured by period. */
  backfill: backfilledPeriods.exactOptional(),
})
export type AnomalyDetail = z.infer<typeof anomalyDetail>

/** A number that JSON can hold: bands of values that grow by factors may end at infinity. */
export const bounded = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)

import { driftFigures } from '@assay/contracts'
import { z } from 'zod'

/** The findings of an item, as outcomes keep them. */
export const driftDetail = driftFigures.extend({
  threshold: z.number(),
  /** Only for a learned threshold. */
  expectedFalseAlarmsPerMonth: z.number().exactOptional(),
})
export type DriftDetail = z.infer<typeof driftDetail>

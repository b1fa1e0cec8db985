import type { Threshold } from '@assay/contracts'
import { thresholdOfPercentage, thresholdRecordOf } from '@assay/reliability'
import { z } from 'zod'

const schema = z
  .object({
    type: z.enum(['ABSOLUTE', 'ANOMALY', 'RELATIVE', 'TIME_BASED']),
    success: z.number().nullable(),
    warning: z.number().nullable(),
  })
  .catchall(z.json())
/** A threshold in its wire form, typed as JSON for events. */
export type StoredThreshold = z.infer<typeof schema>

export function storedThreshold(threshold: Threshold): StoredThreshold {
  return schema.parse(thresholdRecordOf(threshold))
}

/** At least `success` percent, without a warning. */
export function thresholdOfScore(success: number): StoredThreshold {
  return storedThreshold(thresholdOfPercentage(success))
}

import { arrivalClock, freshnessSources } from '@assay/contracts'
import { z } from 'zod'

const learning = z.object({ points: z.int(), needed: z.int() })

/** The findings of an item besides its verdict, as outcomes keep them. */
export const arrivalFindings = z.object({
  newestAt: z.string().nullable(),
  source: z.enum(freshnessSources).nullable(),
  columnName: z.string().nullable(),
  deadlineAt: z.string().nullable(),
  clock: arrivalClock.nullable(),
  state: z.literal('LEARNING').exactOptional(),
  learned: learning.exactOptional(),
  /** Only for a number that the detector judges. */
  expectedFalseAlarmsPerMonth: z.number().exactOptional(),
})
export type ArrivalFindings = z.infer<typeof arrivalFindings>

/** There is too little history for a verdict, so the item counts as passed. Pure. */
export const learningOf = (points: number, needed: number) => ({
  state: 'LEARNING' as const,
  learned: { points, needed },
})

/** The findings of an item without a time. */
export const noTime: ArrivalFindings = { newestAt: null, source: null, columnName: null, deadlineAt: null, clock: null }

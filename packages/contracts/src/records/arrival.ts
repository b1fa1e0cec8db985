import { z } from 'zod'
import { isoTime } from '../values/scalars.ts'

/** Where the time of the newest data comes from. */
export const freshnessSources = ['FILE_TIME', 'INFORMATION_SCHEMA', 'TIME_COLUMN', 'OFFSET'] as const

export const clockKinds = ['EVERY_MINUTES', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'GAPS'] as const

/**
 * When data usually arrives, inferred from earlier arrivals. `every`: minutes between arrivals (EVERY_MINUTES, GAPS).
 * `at`: local times, as `HH:mm`. `weekdays`: ISO, 1 is Monday. `explainedShare`: the share of the arrivals that the
 * clock explains, 0 to 1.
 */
export const arrivalClock = z
  .object({
    text: z.string(),
    kind: z.enum(clockKinds),
    every: z.number().nullable(),
    at: z.array(z.string()),
    weekdays: z.array(z.int()).nullable(),
    timeZone: z.string(),
    explainedShare: z.number(),
    nextExpectedAt: isoTime.nullable(),
    deadlineAt: isoTime.nullable(),
  })
  .meta({ id: 'ArrivalClock' })
export type ArrivalClock = z.infer<typeof arrivalClock>

/**
 * Further fields of the items of freshness and cadence policies. Like items of data drift, they also have `state` and
 * `learned`. `null` means unknown or hidden.
 */
export const arrivalFields = {
  /** The time of the newest data. */
  newestAt: isoTime.nullable().optional(),
  source: z.enum(freshnessSources).nullable().optional(),
  columnName: z.string().nullable().optional(),
  /** When the data becomes too old unless newer data arrives. */
  deadlineAt: isoTime.nullable().optional(),
  clock: arrivalClock.nullable().optional(),
}

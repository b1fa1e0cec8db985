import { z } from 'zod'
import { isoTime, optional, plainText } from '../values/scalars.ts'

export const periodGranularities = ['DAY', 'HOUR'] as const

/** What is measured by period. An empty text clears the setting. */
export const backfillInput = z.object({
  enabled: optional(z.boolean()),
  columnName: optional(plainText(10_000)),
  granularity: optional(z.enum(periodGranularities)),
  from: optional(plainText(100)),
})
export type BackfillInput = z.infer<typeof backfillInput>

export const backfillRecord = z
  .object({
    enabled: z.boolean(),
    /**
     * The column with the time of a row. `null` means the first that exists of: a dated partition, the configured
     * column, the marker's column, the dates in the names of the files.
     */
    columnName: z.string().nullable(),
    granularity: z.enum(periodGranularities),
    /** Earliest start of the first period. A date without a time begins in the zone of the table. */
    from: z.string().nullable(),
  })
  .meta({ id: 'Backfill' })
export type BackfillRecord = z.infer<typeof backfillRecord>

/** The periods of a table that a run measured for an item. */
export const backfilledPeriods = z
  .object({
    /**
     * The source of the column's name: the policy, a partition, the configuration of the table, or the marker. FILE_NAME:
     * the dates in the names of the files.
     */
    source: z.enum(['POLICY', 'PARTITION', 'FRESHNESS_COLUMN', 'MARKER', 'FILE_NAME']),
    /** Empty for FILE_NAME. */
    columnName: z.string(),
    granularity: z.enum(periodGranularities),
    timeZone: z.string(),
    /** Beginning of the first and end of the last whole period. */
    from: isoTime,
    to: isoTime,
    /** The number of values that this run added to the series of the item, or replaced. */
    points: z.int(),
  })
  .meta({ id: 'BackfilledPeriods' })
export type BackfilledPeriods = z.infer<typeof backfilledPeriods>

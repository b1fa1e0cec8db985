import { z } from 'zod'
import { watchedMetrics } from './policies/anomaly.ts'
import { cadenceMeasurements } from './policies/arrival.ts'

/** A judged value of one series, with the range of values that do not fire. */
const anomaly = z
  .object({
    /** PERCENTAGE and NUMBER are values of an item of data quality. */
    metric: z.enum([...watchedMetrics, 'PERCENTAGE', 'NUMBER', ...cadenceMeasurements]),
    /** `null` means a metric of the table. */
    columnName: z.string().nullable(),
    at: z.string(),
    value: z.number(),
    expected: z.number(),
    lower: z.number(),
    upper: z.number(),
    /** Robust standard deviations from the expected value, negative below it. */
    score: z.number(),
    fired: z.boolean(),
    /** Why it fired, in one sentence; `null` if it did not. */
    reason: z.string().nullable(),
  })
  .meta({ id: 'Anomaly' })
export type Anomaly = z.infer<typeof anomaly>

/** Further fields of the execution and result of an item that learns usual values. */
export const anomalyFigures = z.object({
  /** At most 200 judged series. Those that fired come first. */
  anomalies: z.array(anomaly),
  /** The number of judged series. */
  anomalyCount: z.int(),
  /**
   * The highest number of false alarms to expect from all judged series, if they are measured as often as in the last
   * 30 days.
   */
  expectedFalseAlarmsPerMonth: z.number(),
})

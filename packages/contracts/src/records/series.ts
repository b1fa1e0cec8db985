import { z } from 'zod'
import { strictly } from '../fields/field-rules.ts'
import { id, isoTime, optional, plainText, timeInput } from '../values/scalars.ts'
import { anomalyStrengths } from './policies/anomaly.ts'
import { severityInput } from './policies/schema-drift.ts'
import { verdictBasis } from './policy-types.ts'
import { percentageInput, thresholdInput } from './threshold.ts'

/**
 * NORMAL: similar values do not fire. ANOMALY: later runs do not learn from it. NEW_NORMAL: earlier points no longer
 * count.
 */
export const feedbacks = ['NORMAL', 'ANOMALY', 'NEW_NORMAL'] as const
export type Feedback = (typeof feedbacks)[number]

/** A value of a run as it was judged. `lower`, `upper`: the values that pass; null if there is no limit on that side. */
export const seriesPoint = z
  .object({
    /** When the run began. For a value of a period, when the period ended. */
    at: isoTime,
    executionId: id,
    /** Null for the score of the policy. */
    ruleItemId: id.nullable(),
    /** PERCENTAGE or NUMBER of an item, SCORE, a metric, or a kind of schema change. */
    metric: z.string(),
    columnName: z.string().nullable(),
    value: z.number(),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
    fired: z.boolean(),
    /** Null if nobody gave feedback on it. */
    feedback: z.enum(feedbacks).nullable(),
  })
  .meta({ id: 'SeriesPoint' })
export type SeriesPoint = z.infer<typeof seriesPoint>

const operand = optional(z.union([z.number(), plainText(1000).min(1)]))
/** The limits of an item that do not change what it measures. */
const limits = z.object({
  operator: optional(plainText(20)),
  value: operand,
  min: operand,
  max: operand,
  maxAge: optional(plainText(100)),
})

/** Thresholds, sensitivities and limits to try. Items that are not listed keep their own. */
export const whatIfRequest = strictly(
  z.object({
    rule: optional(
      strictly(
        z.object({
          thresholdLevel: optional(thresholdInput),
          verdictBy: optional(verdictBasis),
          anomalyStrengthThreshold: optional(z.enum(anomalyStrengths)),
          sensitivity: optional(z.enum(anomalyStrengths)),
          severity: optional(severityInput),
        }),
      ),
    ),
    items: optional(
      z
        .array(
          strictly(
            z.object({
              id,
              resultThreshold: optional(percentageInput),
              thresholdConfig: optional(thresholdInput),
              driftThreshold: optional(z.number().min(0)),
              isWarning: optional(z.boolean()),
              value: optional(limits),
            }),
          ),
        )
        .max(500),
    ),
    from: optional(timeInput),
    to: optional(timeInput),
  }),
)
export type WhatIfRequest = z.output<typeof whatIfRequest>

/** Newest first. At most the newest 10,000 points; `firedCount` counts all. */
export const whatIfAnswer = z.object({
  points: z.array(seriesPoint),
  firedCount: z.int(),
  /** Null if no series is compared with its usual values. */
  expectedFalseAlarmsPerMonth: z.number().nullable(),
  /** The number of runs that were judged again, which is at most the newest thousand. */
  runs: z.int(),
  /** Use it as `to` to judge the runs before these. Null if there are none. */
  next: isoTime.nullable(),
})

/** If `metric` is absent: all points that fired, of all items unless one is named. */
export const feedbackRequest = z.object({
  feedback: z.enum(feedbacks),
  ruleItemId: optional(id),
  metric: optional(plainText(100).min(1)),
  columnName: optional(plainText(10_000).min(1)),
  comment: optional(plainText(10_000)),
})
export type FeedbackRequest = z.output<typeof feedbackRequest>

/** The points that the feedback is about. */
export const feedbackAnswer = z.object({ points: z.array(seriesPoint) })

/** `next`: use it as `to` to read the points of the runs before these. Null if there are none. */
export const seriesAnswer = z.object({ points: z.array(seriesPoint), next: isoTime.nullable() })

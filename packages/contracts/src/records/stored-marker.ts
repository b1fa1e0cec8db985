import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { optional, plainText } from '../values/scalars.ts'

const text = optional(plainText(10_000))
const column = plainText(10_000).min(1)
const dates = { fromDate: text, toDate: text, format: text, timeZoneId: text, initialOffset: text }

/** The markers that a policy may store for INCREMENTAL runs, with their fields. */
export const storedMarkers = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('IdMarkerConfig'),
    columnName: column,
    initialOffset: optional(z.union([z.number(), z.string()])),
  }),
  z.object({
    type: z.literal('DateTimeMarkerConfig'),
    columnName: column,
    format: text,
    timeZoneId: text,
    initialOffset: text,
  }),
  z.object({ type: z.literal('FileEventMarkerConfig'), timeZoneId: text, initialOffset: text }),
  z.object({ type: z.literal('TimestampBasedMarkerConfig'), format: text, timeZoneId: text, initialOffset: text }),
  z.object({ type: z.literal('DateBasedPartitionMarkerConfig'), columnName: text, ...dates }),
  z.object({
    type: z.literal('DayMonthYearBasedPartitionMarkerConfig'),
    yearColumnName: text,
    monthColumnName: text,
    dayColumnName: text,
    ...dates,
  }),
])

export type StoredMarker = z.infer<typeof storedMarkers>

export const storedMarkerTypes = storedMarkers.options.map(({ shape }) => shape.type.value)

/** Rules for the field names of a stored marker. */
export const storedMarkerRules = { strict: true, names: storedMarkers } as const

/**
 * Stored as it was sent, and checked later, together with the asset. Other types are refused, because no run could use
 * them.
 */
export const storedMarkerInput = withFieldRules(z.looseObject({ type: z.enum(storedMarkerTypes) }), storedMarkerRules)

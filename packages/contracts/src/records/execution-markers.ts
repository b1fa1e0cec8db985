import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { id, optional, plainText } from '../values/scalars.ts'

const text = optional(plainText(1000))
/** Clients that have no format send an empty text. */
const dateFormat = text.transform((format) => (format === '' ? undefined : format))
const zone = optional(plainText(64))
const column = optional(plainText(10_000).min(1))
const dates = { format: dateFormat, fromDate: text, toDate: text, timeZoneId: zone }
const synonyms = {
  timestamp: { kind: 'TimestampBasedMarkerConfig', also: [] },
  id: { kind: 'bound', also: ['initialOffset'] },
  // `offset` is accepted and has no effect.
  datetime: { kind: 'boundDateTime', also: ['initialOffset', 'offset'] },
}
const names: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(synonyms).map(([name, { kind }]) => [name, kind]),
)

/** Replaces a short name of older clients, who also send `baseAssetId: null`. */
function fullName(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  const known = typeof value.type === 'string' && Object.hasOwn(names, value.type) ? names[value.type] : undefined
  return known === undefined ? value : { ...withLowerBound(value), type: known }
}

/** Column markers with a short name may have `initialOffset` as the name of their lower bound. */
function withLowerBound(value: object & { type?: unknown }): object {
  if (!('initialOffset' in value)) return value
  const from = value.type === 'id' ? 'fromId' : value.type === 'datetime' ? 'fromDate' : undefined
  if (from === undefined) return value
  const given: unknown = Reflect.get(value, from)
  return given === undefined || given === null ? { ...value, [from]: value.initialOffset } : value
}

const eitherName = z.preprocess(
  fullName,
  z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('TimestampBasedMarkerConfig'),
        format: dateFormat,
        initialOffset: text,
        timeZoneId: zone,
      }),
      z.object({
        type: z.literal('boundFileEvent'),
        fromDate: text,
        toDate: text,
        timeZoneId: zone,
        format: dateFormat,
        dateColumnName: text,
      }),
      z.object({
        type: z.literal('bound'),
        idColumnName: plainText(10_000).min(1),
        fromId: optional(z.int()),
        toId: optional(z.int()),
      }),
      z.object({
        type: z.literal('boundDateTime'),
        dateColumnName: plainText(10_000).min(1),
        format: dateFormat,
        fromDate: text,
        toDate: text,
        timeZoneId: zone,
      }),
      z.object({ type: z.literal('DateBasedPartitionMarkerConfig'), columnName: column, ...dates }),
      z.object({
        type: z.literal('DayMonthYearBasedPartitionMarkerConfig'),
        yearColumnName: column,
        monthColumnName: column,
        dayColumnName: column,
        ...dates,
      }),
      z.object({ type: z.literal('partition'), partition: plainText(10_000).min(1) }),
    ])
    .superRefine((marker, context) => {
      if (marker.type !== 'bound') return
      const { fromId, toId } = marker
      if (fromId === undefined && toId === undefined)
        context.addIssue({ code: 'custom', path: ['fromId'], message: 'is needed, or toId' })
      if (fromId !== undefined && toId !== undefined && fromId > toId)
        context.addIssue({ code: 'custom', path: ['fromId'], message: 'must not be above toId' })
    }),
)
/** The rows that one run reads. Bounds are inclusive. Dates are text in `format`, by default ISO 8601. */
export const runMarkerConfig = withFieldRules(eitherName, { strict: true, synonyms })
export type RunMarkerConfig = z.infer<typeof runMarkerConfig>

/** `assetDirection`: which side is meant, if both sides of a policy are the same asset. */
export const runMarkers = z
  .array(
    z.object({
      assetId: id,
      assetDirection: z.enum(['LEFT', 'RIGHT']).nullish(),
      markerConfig: optional(runMarkerConfig),
    }),
  )
  .max(10)
export type RunMarkers = z.infer<typeof runMarkers>
